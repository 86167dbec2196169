import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute, installation, makeDirectory, untilReady, withClient } from './postgres.ts'
import { freePort, runAsServiceAccount, runMeanwhile, startServer, type ServerProcess } from './process.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

/** Debian's version, because it includes pg_basebackup. */
const version = '15'
/** Without fsync: data of a killed process stays in the page cache, and no test cuts the power. */
const settings = [
  'listen_addresses=127.0.0.1',
  'max_connections=200',
  'fsync=off',
  'full_page_writes=off',
  'wal_keep_size=64MB',
  'max_wal_size=128MB',
  'jit=off',
  'wal_receiver_status_interval=1s',
  'wal_retrieve_retry_interval=100ms',
]
const diskMegabytes = 512
const streamSeconds = 60

/** A primary and a standby, which can switch roles. */
export interface PostgresPair extends AsyncDisposable {
  /** URL of the primary's `postgres` database, as superuser. */
  readonly url: string
  /** The disk of the primary, if the test can fill it. */
  readonly disk: SmallDisk | undefined
  /** Switches synchronous replication on or off. */
  waitForFollower(waits: boolean): Promise<void>
  /** Resolves when the standby has all writes up to now. */
  untilFollowed(): Promise<void>
  /** Stops the replication to the standby. */
  cutFollower(): Promise<void>
  /** `kill -9` of the primary. */
  kill(): Promise<void>
  /** Restarts the primary after it was killed or has exited; resolves when it answers. */
  restart(): Promise<void>
  /** Whether the primary runs. */
  isRunning(): boolean
  /** Promotes the standby. */
  promote(): Promise<void>
  /** Starts the old primary standalone, to inspect its data; returns its URL. */
  wakeFormer(): Promise<string>
  /** Makes the old primary a standby; resolves when it has caught up. */
  rebuild(): Promise<void>
}

export async function startPostgresPair(): Promise<PostgresPair> {
  await using running = new AsyncDisposableStack()
  const nodes = [running.use(await makeNode()), running.use(await makeNode())] as const
  let [serving, other]: readonly [Node, Node] = nodes
  serving.initialize()
  await serving.start()
  const rebuild = async () => {
    await other.stop()
    await other.copy(serving)
    await other.start()
    await untilFollowing(serving.url)
  }
  await rebuild()
  const moved = running.move()
  return {
    get url() {
      return serving.url
    },
    get disk() {
      return serving.disk
    },
    waitForFollower: (waits) => configure(serving.url, 'synchronous_standby_names', waits ? '*' : ''),
    untilFollowed: () => untilFollowing(serving.url),
    cutFollower: () => configure(other.url, 'primary_conninfo', ''),
    kill: () => serving.kill(),
    restart: () => serving.start(),
    isRunning: () => serving.isRunning(),
    promote: async () => {
      await execute(other.url, 'SELECT pg_promote()')
      ;[serving, other] = [other, serving]
    },
    wakeFormer: async () => {
      // Reading needs no standby, but a commit would wait for one.
      await other.start(['synchronous_standby_names='])
      return other.url
    },
    rebuild,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

interface Node extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly disk: SmallDisk | undefined
  initialize(): void
  copy(from: Node): Promise<void>
  start(more?: readonly string[]): Promise<void>
  stop(): Promise<void>
  kill(): Promise<void>
  isRunning(): boolean
}

async function makeNode(): Promise<Node> {
  const { binaries } = await installation(version, '')
  const sockets = makeDirectory(version)
  const disk = mountSmallDisk(diskMegabytes)
  const data = join(disk?.directory ?? sockets, 'data')
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ServerProcess | undefined
  const stop = async () => server?.[Symbol.asyncDispose]()
  return {
    url,
    port,
    disk,
    initialize: () => {
      const how = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
      runAsServiceAccount([`${binaries}/initdb`, '-D', data, ...how])
    },
    copy: async (from) => {
      rmSync(data, { recursive: true, force: true })
      const how = ['--checkpoint=fast', '--no-sync', '--write-recovery-conf']
      await runMeanwhile([`${binaries}/pg_basebackup`, '-D', data, '-d', from.url, ...how])
      // After the promotion there is no standby to wait for.
      appendFileSync(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
    },
    start: async (more = []) => {
      const given = [`port=${port}`, `unix_socket_directories=${sockets}`, ...settings, ...more]
      const started = startServer([`${binaries}/postgres`, '-D', data, ...given.flatMap((one) => ['-c', one])])
      server = started
      try {
        await untilReady(url, () => started.assertRunning())
      } catch (error) {
        throw new Error(`PostgreSQL did not start:\n${started.output().slice(-4_000)}`, { cause: error })
      }
    },
    stop,
    kill: async () => server?.kill(),
    isRunning: () => {
      try {
        server?.assertRunning()
        return server !== undefined
      } catch {
        return false
      }
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      disk?.[Symbol.dispose]()
      rmSync(sockets, { recursive: true, force: true })
    },
  }
}

async function configure(url: string, name: string, value: string): Promise<void> {
  await execute(url, `ALTER SYSTEM SET ${name} = '${value}'`)
  await execute(url, 'SELECT pg_reload_conf()')
  // Backends reload it before their next statement; new backends start with it.
  for (;;) {
    let current: unknown
    await withClient(url, async (client) => {
      const { rows } = await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name])
      current = rows[0]?.value
    })
    if (current === value) return
    await sleep(5)
  }
}

/** Resolves when the standby has received and replayed all writes up to now. */
async function untilFollowing(url: string): Promise<void> {
  const deadline = performance.now() + streamSeconds * 1000
  let has: boolean | undefined
  await withClient(url, async (client) => {
    const { rows: now } = await client.query<{ place: string }>('SELECT pg_current_wal_lsn() AS place')
    while (has !== true) {
      const { rows } = await client.query<{ has: boolean }>(
        `SELECT replay_lsn >= $1::pg_lsn AS has FROM pg_stat_replication WHERE state = 'streaming'`,
        [now[0]?.place],
      )
      has = rows[0]?.has
      if (performance.now() > deadline) throw new Error('the follower does not come to where the other one is')
      if (has !== true) await sleep(20)
    }
  })
}
