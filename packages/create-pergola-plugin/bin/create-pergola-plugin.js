#!/usr/bin/env node
// What it writes needs this release, and so would the first command that is typed after it.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`a Pergola plugin needs Node.js 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
await import('../dist/main.js')
