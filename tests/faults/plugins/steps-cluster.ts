import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Client } from 'pg'
import { packedSource } from '../../end-to-end/packed-source.ts'
import { seedAdministrator } from '../../end-to-end/seed-administrator.ts'
import { ask, type Answer } from '../watch/ask.ts'
import { startReplica, type Replica } from '../watch/replica.ts'
import { installPackage } from './install-package.ts'

const replicaCount = 3
const token = 'pgs_controllers-controllers-controllers'
export const steps = '/apis/steps.example.com/v1/steps'
const serveSeconds = 120
const pluginStartMs = 8_000

/** The fields of an object that the trial reads. */
export interface Step {
  readonly metadata: { readonly name: string; readonly generation: number }
  readonly spec: { readonly value: number }
  readonly status?: {
    readonly generation?: number
    readonly value?: number
    readonly term?: number
    readonly process?: number
  }
}

/** Replicas on one database, with a plugin whose controller writes a status from each spec. */
export interface StepsCluster extends AsyncDisposable {
  readonly replicas: readonly Replica[]
  readonly database: Client
  /** Sends a request to a running replica; never throws. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  get(name: string): Promise<Step | undefined>
  all(): Promise<readonly Step[]>
  /** The host whose plugin runs as this process. */
  hostOf(process: number): Replica | undefined
  /** Resolves when every replica serves and had time to start its plugin. */
  untilAllServe(): Promise<void>
}

export async function startStepsCluster(): Promise<StepsCluster> {
  await using running = new AsyncDisposableStack()
  const server = running.use(await startPostgres('18'))
  const { url } = running.use(await createDatabase(server.url))
  await seedAdministrator(url, token)
  const database = new Client({ connectionString: url })
  await database.connect()
  running.defer(() => database.end())
  const env = { PERGOLA_SERVER_STOP_DELAY: '0', PERGOLA_SERVER_DRAIN_TIMEOUT: '1' }
  const replicas = await Promise.all(
    Array.from({ length: replicaCount }, (_, at) => startReplica({ at, databaseUrl: url, env })),
  )
  for (const replica of replicas) running.use(replica)
  for (const replica of replicas) await replica.untilUp()
  const [first] = replicas
  if (!first) throw new Error('there is no replica')
  await install(first.url, await packedSource(join(import.meta.dirname, 'processes/steps-plugin.ts')))
  for (const replica of replicas) await untilServed(replica)
  let turn = 0
  const asking: StepsCluster['ask'] = (method, path, body) => {
    const up = replicas.filter((replica) => replica.isUp())
    const { url: at } = up[turn++ % up.length] ?? first
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return ask({ url: at, token, method, path, body, contentType })
  }
  const moved = running.move()
  return {
    replicas,
    database,
    ask: asking,
    get: async (name) => {
      const { status, text } = await asking('GET', `${steps}/${name}`)
      return status === 200 ? (JSON.parse(text) as Step) : undefined
    },
    all: async () => {
      for (;;) {
        const { status, text } = await asking('GET', steps)
        if (status === 200) return (JSON.parse(text) as { readonly items: readonly Step[] }).items
        await sleep(200)
      }
    },
    hostOf: (pid) => replicas.find((replica) => replica.pid() === parentOf(pid)),
    untilAllServe: async () => {
      await Promise.all(replicas.map(untilServed))
      await sleep(pluginStartMs)
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

async function install(url: string, body: Buffer): Promise<void> {
  const answer = await installPackage({ url, token }, body)
  if (answer.status !== 201) throw new Error(`the plugin is refused: ${answer.status} ${await answer.text()}`)
}

async function untilServed(replica: Replica): Promise<void> {
  const deadline = performance.now() + serveSeconds * 1000
  for (;;) {
    const { status, text } = await ask({ url: replica.url, token, method: 'GET', path: `${steps}?size=1` })
    if (status === 200) return
    if (performance.now() > deadline) throw new Error(`replica ${replica.at}: ${status} ${text}\n${replica.log()}`)
    await sleep(100)
  }
}

/** Undefined after it exited. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
