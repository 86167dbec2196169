import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface BareServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** A server to compare ours with: a script that prints `api <URL>`. Ends with this process. */
export async function startBareServer(script: string, ...args: readonly string[]): Promise<BareServer> {
  const node = [process.execPath, '--conditions=@pergola/source', script, ...args]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], { stdio: ['ignore', 'pipe', 'inherit'] })
  const printed = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk)),
    once(child, 'close').then(() => 'nothing'),
  ])
  const [, url] = /api (\S+)/.exec(printed) ?? []
  if (url === undefined) throw new Error(`${script} said ${printed}`)
  return {
    url,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}
