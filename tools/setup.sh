#!/usr/bin/env bash
# Everything a fresh clone needs: Node.js 24 where the machine has an older one, the packages, a first build.
set -euo pipefail
cd "$(dirname "$0")/.."

# Left by an earlier run: the release behind it is looked up anew, and `npm ci` removes the link anyway.
rm -f node_modules/.bin/node
hash -r
source tools/use-node.sh
npm ci --no-audit --no-fund --loglevel=error

# npm puts this folder first on the PATH of every script and of npx, so both run on the release above.
ln -sf "$(command -v node)" node_modules/.bin/node
npm run -s build
echo "Ready on Node.js $(node --version).  Next:  npm run dev  or  npm run check"
