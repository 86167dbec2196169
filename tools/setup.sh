#!/usr/bin/env bash
# Prepares a fresh clone: Node.js 24 if the machine has an older one, the packages, a first build unless
# `--no-build` is given.
set -euo pipefail
cd "$(dirname "$0")/.."

# Removes the link of an earlier run: the release is looked up again, and `npm ci` would remove the link anyway.
rm -f node_modules/.bin/node
hash -r
source tools/use-node.sh
npm ci --no-audit --no-fund --loglevel=error

# npm puts this folder first on the PATH of every script and of npx, so both use this release.
ln -sf "$(command -v node)" node_modules/.bin/node
[ "${1-}" = --no-build ] && exit
npm run -s build
echo "Ready on Node.js $(node --version).  Next:  npm run dev  or  npm run check"
