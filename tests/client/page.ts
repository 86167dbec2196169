import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export const chromium = '/usr/bin/chromium'

/** One origin that serves a page, its script, and the API of a server. */
export interface Page extends AsyncDisposable {
  readonly origin: string
  serve(serverUrl: string, script: string): void
  /** Runs the script in a new browser and returns what it sent to `/result`. */
  run(): Promise<unknown>
}

export async function startPage(): Promise<Page> {
  let [target, script] = ['', '']
  const result = Promise.withResolvers<unknown>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/')
      return response.setHeader('content-type', 'text/html').end('<script src="/page.js"></script>')
    if (request.url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(script)
    if (request.url !== '/result') return forward(target, request, response)
    result.resolve(JSON.parse(await text(request)))
    return response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.on('upgrade', (request, near, head) => {
    const far = connect({ host: '127.0.0.1', port: Number(new URL(target).port) })
    const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []))
    far.write([`GET ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    far.write(head)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => near.destroy() && far.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    serve: (serverUrl, page) => void ([target, script] = [serverUrl, page]),
    run: () => inBrowser(origin, result.promise),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url: path = '/', headers } = request
  const far = httpRequest(new URL(path, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  far.on('error', () => response.destroy())
  response.on('close', () => far.destroy())
  request.pipe(far)
}

async function inBrowser(origin: string, result: Promise<unknown>): Promise<unknown> {
  const profile = mkdtempSync(join(tmpdir(), 'pergola-browser-'))
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const browser = spawn(
    chromium,
    ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet, `--user-data-dir=${profile}`, origin],
    { stdio: 'ignore' },
  )
  const ended = once(browser, 'exit')
  try {
    return await Promise.race([result, ended.then(() => ({ failed: 'the browser ended' }))])
  } finally {
    browser.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
