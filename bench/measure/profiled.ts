import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Profiled, ProfiledLine } from './processes/profiled-server.ts'

export type { Profiled }

export interface ProfiledServer extends AsyncDisposable {
  readonly url: string
  readonly setupSecret: string | undefined
  /** The profile of the server while it does the work. */
  during(work: () => Promise<unknown>): Promise<Profiled>
}

/** A server in a process of its own that profiles itself. */
export async function startProfiled(database: string): Promise<ProfiledServer> {
  const script = join(import.meta.dirname, 'processes/profiled-server.ts')
  const node = [process.execPath, '--conditions=@pergola/source', script, database]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const first = await answer(child)
  if (!('url' in first)) throw new Error('the server did not say where it listens')
  return {
    ...first,
    during: async (work) => {
      child.send('start')
      await work()
      child.send('stop')
      const line = await answer(child)
      if ('profile' in line) return line
      throw new Error('the server did not say where its time went')
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function answer(child: ChildProcess): Promise<ProfiledLine> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the server ended before it answered')
  })
  const [line] = (await Promise.race([once(child, 'message'), ended])) as [ProfiledLine]
  return line
}
