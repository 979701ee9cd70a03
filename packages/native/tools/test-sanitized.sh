#!/usr/bin/env bash
# Runs the native tests against an addon built with the address and undefined-behaviour sanitizers.
#
#   packages/native/tools/test-sanitized.sh [arguments of vitest]
set -euo pipefail
cd "$(dirname "$0")/../../.."
addon=$PWD/packages/native/build/kindred_native_sanitized.node
# The library of the sanitizer must be loaded first. g++ gives its path by name, while clang keeps its runtime elsewhere.
export CXX=${KINDRED_SANITIZER_CXX:-g++}
node packages/native/tools/build-native.mjs --sanitize --output "$addon"
runtime=$("$CXX" -print-file-name=libasan.so)
[ -e "$runtime" ] || { echo "test-sanitized: $CXX has no address sanitizer" >&2; exit 1; }
# Node never frees all its memory, so leaks of the addon cannot be detected; the sanitizers end the process at any error.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export KINDRED_NATIVE_FILE=$addon
LD_PRELOAD=$runtime node node_modules/vitest/vitest.mjs run packages/native/src --pool=threads --maxWorkers=1 "$@"
