#!/usr/bin/env bash
# Builds the committed WebAssembly kernels from their sources.
#
#   tools/build-wasm.sh            writes wasm/*.wasm
#   tools/build-wasm.sh --check    builds beside them and fails where a committed file differs
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
target=wasm
if [ "${1:-}" = --check ]; then
  target=$(mktemp -d)
  trap 'rm -rf "$target"' EXIT
fi
build() { # name, exported functions...
  local name=$1 exports=()
  shift
  for symbol in "$@"; do exports+=("--export=$symbol"); done
  local object
  object=$(mktemp --suffix=.o)
  "$compiler" --target=wasm32 -O3 -msimd128 -mbulk-memory -ffreestanding -Wall -Wextra -Werror -c "wasm/$name.c" -o "$object"
  "$linker" --no-entry --strip-all --export=__heap_base "${exports[@]}" "$object" -o "$target/$name.wasm"
  rm "$object"
}
build alignment align_16 align_32 work_bytes_16 work_bytes_32
build trees walk
build scan unpack near_pairs
if [ "$target" != wasm ]; then
  for file in "$target"/*.wasm; do
    cmp "$file" "wasm/$(basename "$file")" || { echo "build-wasm: committed $(basename "$file") is not what its source builds" >&2; exit 1; }
  done
  echo 'build-wasm: committed modules equal their sources'
fi
