import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/** A minimal proxy without authentication, authorization or header processing. */
const [, , socketPath = ''] = process.argv
const pool = new Pool('http://plugin', { socketPath, connections: 64, pipelining: 1 })
const server = createServer((request, response) => {
  const { url = '', method = 'GET' } = request
  pool
    .stream({ path: url, method }, ({ statusCode, headers }) => response.writeHead(statusCode, headers))
    .catch((error: unknown) => response.destroy(error as Error))
})
server.listen(0, '127.0.0.1', () => console.log(`api http://127.0.0.1:${(server.address() as AddressInfo).port}`))
