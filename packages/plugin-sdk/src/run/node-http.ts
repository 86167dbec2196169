import type * as http from 'node:http'

/**
 * `node:http` without an import: an import reads every export of the module, one of which loads Node's `fetch` and TLS. That was
 * half of the CPU of a start, and 5 MB of memory.
 */
export const { Agent, createServer, request, ServerResponse } = process.getBuiltinModule('node:http')
export type ServerResponse = http.ServerResponse
