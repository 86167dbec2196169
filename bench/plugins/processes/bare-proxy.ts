import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/** What it takes to hand a request on, and nothing else: no authentication, no rights, no headers looked at. */
const [, , socketPath = ''] = process.argv
const pool = new Pool('http://plugin', { socketPath, connections: 64, pipelining: 1 })
const server = createServer((request, response) => {
  const { url = '', method = 'GET' } = request
  pool
    .stream({ path: url, method }, ({ statusCode, headers }) => response.writeHead(statusCode, headers))
    .catch((error: unknown) => response.destroy(error as Error))
})
server.listen(0, '127.0.0.1', () => console.log(`api http://127.0.0.1:${(server.address() as AddressInfo).port}`))
