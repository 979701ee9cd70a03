#!/usr/bin/env bash
set -euo pipefail
tar -xzf "kindred-$PKG_VERSION.tgz" --strip-components=1 package/LICENSE
npm install --global --prefix "$PREFIX" --ignore-scripts --no-audit --no-fund "$PWD/kindred-$PKG_VERSION.tgz"
