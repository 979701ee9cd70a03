#!/usr/bin/env bash
# Builds the committed WebAssembly kernels from their sources.
#
#   tools/build-wasm.sh            writes them beside their sources
#   tools/build-wasm.sh --check    builds elsewhere and fails where a committed file differs
#
# The bytes depend on the compiler: clang 14.0.6 and lld 14.0.6 (Debian 12: apt-get install clang-14 lld-14).
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=14.0.6
compiler=${KINDRED_WASM_CLANG:-clang-14}
linker=${KINDRED_WASM_LD:-wasm-ld-14}
for tool in "$compiler" "$linker"; do
  command -v "$tool" >/dev/null || { echo "build-wasm: $tool is not installed (apt-get install clang-14 lld-14)" >&2; exit 1; }
  "$tool" --version | grep -q "$wanted" || { echo "build-wasm: $tool is not version $wanted" >&2; exit 1; }
done
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
check=${1:-}
build() { # source without its ending, exported functions...
  local source=$1 exports=()
  shift
  for symbol in "$@"; do exports+=("--export=$symbol"); done
  "$compiler" --target=wasm32 -O3 -msimd128 -mbulk-memory -ffreestanding -fno-math-errno -Wall -Wextra -Werror -c "$source.c" -o "$built/object"
  "$linker" --no-entry --strip-all --export=__heap_base "${exports[@]}" "$built/object" -o "$built/module"
  if [ "$check" = --check ]; then
    cmp "$built/module" "$source.wasm" || { echo "build-wasm: the committed $source.wasm is not what its source builds" >&2; exit 1; }
  else
    cp "$built/module" "$source.wasm"
  fi
}
build wasm/alignment align_16 align_32 work_bytes_16 work_bytes_32
build wasm/trees walk
build wasm/scan multiply near_pairs
build wasm/network open_network work_bytes vector_of probabilities_of
build ../../plugins/backend-kmer/wasm/spectrum embed
[ "$check" != --check ] || echo 'build-wasm: committed modules equal their sources'
