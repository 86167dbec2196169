import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const checkMs = 100

export interface FreePortOptions {
  /** How long to wait. After that, listening reports the error. */
  readonly patienceMs: number
  /** Called once, if the port is in use. */
  readonly onWait: () => void
  readonly signal: AbortSignal
}

/**
 * Waits until the port of this machine is free. A server that was just told to stop still listens for a second, and npx returns
 * before it has stopped.
 */
export async function waitForFreePort(port: number, { patienceMs, onWait, signal }: FreePortOptions): Promise<void> {
  if (port === 0 || (await isFree(port))) return
  onWait()
  const end = performance.now() + patienceMs
  while (!signal.aborted && performance.now() < end && !(await isFree(port))) await sleep(checkMs)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch (error) {
    // Waiting only helps if the port is in use.
    return (error as NodeJS.ErrnoException).code !== 'EADDRINUSE'
  } finally {
    server.close()
  }
}
