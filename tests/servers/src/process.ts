import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** The account servers run under when the tests run as root, which PostgreSQL refuses. */
const serviceAccount = 'postgres'

export interface ServerProcess extends AsyncDisposable {
  /** Everything it has printed, for error messages. */
  output(): string
  /** Throws with the output when the process has ended by itself. */
  assertRunning(): void
}

/** A server that ends with this process, even when this process is killed. */
export function startServer(command: readonly string[], env: Readonly<Record<string, string>> = {}): ServerProcess {
  const [program, ...args] = [...asServiceAccount(), '--pdeathsig', 'INT', '--', ...command]
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += String(chunk)))
  child.stderr.on('data', (chunk) => (printed += String(chunk)))
  child.on('error', (error) => (printed += String(error)))
  return {
    output: () => printed,
    assertRunning: () => {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}:\n${printed}`)
    },
    [Symbol.asyncDispose]: () => stop(child),
  }
}

/** Runs a command to its end under the same account. */
export function runAsServiceAccount(command: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const [program, ...args] = [...asServiceAccount(), '--', ...command]
  const { status, stderr, stdout, error } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${error?.message ?? ''}${stdout}${stderr}`)
}

/** The account's user and group, when it is another than ours. */
export function serviceAccountIds(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, serviceAccount], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** Free at this moment; whoever binds it next has it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function asServiceAccount(): [string, ...string[]] {
  if (process.getuid?.() !== 0) return ['setpriv']
  return ['setpriv', '--reuid', serviceAccount, '--regid', serviceAccount, '--init-groups']
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}
