#!/usr/bin/env node
// The generated plugin needs this Node.js release, so its first command would fail too.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`a Pergola plugin needs Node.js 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
await import('../dist/main.js')
