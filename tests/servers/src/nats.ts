import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, serviceAccountIds, startServer } from './process.ts'

const programs = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server']
const startSeconds = 20

export interface NatsServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Process id of the running server. */
  pid(): number
  /** `kill -9`. */
  kill(): Promise<void>
  /** After `kill`: starts the server on the same port, with its previous data or empty. */
  restart(how?: { readonly wiped?: boolean }): Promise<void>
}

/** Starts a server with JetStream on file storage, on a free port. */
export async function startNats(): Promise<NatsServer> {
  const [server] = await startNatsCluster(1)
  if (!server) throw new Error('there is no server')
  return server
}

/** Starts a cluster, so that a stream can have replicas. */
export async function startNatsCluster(count: number): Promise<readonly NatsServer[]> {
  const program = programs.find((path) => existsSync(path))
  if (program === undefined) throw new Error('NATS is not installed: apt-get install nats-server')
  const ports = []
  for (let at = 0; at < count; at++) ports.push({ client: await freePort(), cluster: await freePort() })
  const routes = ports.map(({ cluster }) => `nats://127.0.0.1:${cluster}`).join(',')
  const servers = ports.map(({ client, cluster }, at) => {
    const clustered = [
      '--cluster',
      `nats://127.0.0.1:${cluster}`,
      '--cluster_name',
      'tests',
      '--no_advertise',
      '--routes',
      routes,
    ]
    return startOne(
      [program, '-n', `n${at}`, '-a', '127.0.0.1', '-p', String(client), ...(count > 1 ? clustered : [])],
      client,
    )
  })
  await Promise.all(servers.map(({ ready }) => ready()))
  return servers.map(({ server }) => server)
}

function startOne(command: readonly string[], port: number) {
  const directory = mkdtempSync(join(tmpdir(), `pergola-test-nats-${process.pid}-`))
  const account = serviceAccountIds()
  if (account) chownSync(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const start = () => startServer([...command, '-js', '-sd', data])
  let running = start()
  const ready = async () => {
    const deadline = performance.now() + startSeconds * 1000
    while (!(await answers(port))) {
      running.assertRunning()
      if (performance.now() > deadline) throw new Error(`NATS did not start:\n${running.output()}`)
      await sleep(30)
    }
  }
  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => running.pid,
    kill: () => running.kill(),
    restart: async ({ wiped = false } = {}) => {
      if (wiped) rmSync(data, { recursive: true, force: true })
      running = start()
      await ready()
    },
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return { server, ready }
}

/** A NATS server sends INFO to every client that connects. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answered: boolean) => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.setTimeout(500, () => end(false))
  })
}
