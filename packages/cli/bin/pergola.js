#!/usr/bin/env node
// Older releases load the database driver and then crash silently.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`pergola needs Node.js 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
// Caches compiled code between starts.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../dist/main.js')
