import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Unix socket that forwards to a server on TCP. */
export interface Bridge extends AsyncDisposable {
  readonly socket: string
}

export async function bridgeTo(url: string): Promise<Bridge> {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-bridge-'))
  const socket = join(directory, 'host.sock')
  const port = Number(new URL(url).port)
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const end of [near, far]) end.on('close', () => near.destroy() && far.destroy()).on('error', () => {})
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      server.close()
      rmSync(directory, { recursive: true })
    },
  }
}
