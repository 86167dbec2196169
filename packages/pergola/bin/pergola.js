#!/usr/bin/env node
await import('@pergola/cli/bin/pergola.js')
