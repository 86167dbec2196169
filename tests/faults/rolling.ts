import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { createRandom } from '../fuzz/random.ts'
import { checkStore } from './store/checker.ts'
import { apiOf, hostilePackage } from './plugins/hostile-package.ts'
import { installPackage } from './plugins/install-package.ts'
import { checkOut } from './rolling/checkout.ts'
import { runSteadyLoad } from './rolling/steady-load.ts'
import { declareModel, untilServing } from './watch/cluster.ts'
import { comeToRest } from './watch/come-to-rest.ts'
import { readCommittedLog } from './watch/committed-log.ts'
import { runProbes, startReaders } from './watch/crowd.ts'
import type { Lineage, Operation } from './watch/history.ts'
import { judge } from './watch/judge.ts'
import type { Phase } from './watch/readers.ts'
import { command, startReplica, type Replica } from './watch/replica.ts'
import { modelBody } from './watch/things.ts'
import { fill, runWriters } from './watch/writers.ts'

/**
 * Upgrades three replicas under load one after the other, from the commit `--from` to this working tree, and rolls them back.
 * Writers, watches and calls of a plugin go on meanwhile: no request may fail, no acknowledged write be lost, and no watch be
 * wrong.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: 'f9eb8c5f' },
    seed: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const restMs = values.quick ? 3_000 : 10_000
const shownFaults = 5
const password = 'correct horse battery'

console.log(`seed ${seed}; from ${values.from} and back`)
const found = await passAll()
for (const fault of found.slice(0, shownFaults)) console.log(`  ${fault}`)
process.exit(found.length === 0 ? 0 : 1)

async function passAll(): Promise<readonly string[]> {
  using old = checkOut(values.from)
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await using running = new AsyncDisposableStack()
  const passwordFile = join(running.adopt(mkdtempSync(join(tmpdir(), 'pergola-rolling-')), remove), 'password')
  writeFileSync(passwordFile, password)
  const env = { PERGOLA_ADMIN_USERNAME: 'admin', PERGOLA_ADMIN_PASSWORD_FILE: passwordFile }
  const replicas: Replica[] = []
  for (const at of [0, 1, 2]) {
    // One at a time: the first creates the tables and the administrator.
    const options = { at, databaseUrl: database.url, env, program: old.command }
    const replica = running.use(await startReplica(options))
    await replica.untilUp()
    replicas.push(replica)
  }
  const token = await signIn(replicas)
  const log = running.use(await readCommittedLog(database.url))
  await declareModel(replicas, { token, body: modelBody })
  const cluster = { replicas, token, log }
  const customApi = await installEcho(cluster)
  for (const replica of replicas) await untilServing(replica, token)
  return await passUnderLoad({ cluster, customApi, databaseUrl: database.url, programs: [command, old.command] })
}

interface Setting {
  readonly cluster: {
    readonly replicas: readonly Replica[]
    readonly token: string
    readonly log: Awaited<ReturnType<typeof readCommittedLog>>
  }
  readonly customApi: string
  readonly databaseUrl: string
  /** The programs that all replicas are moved to, in order. */
  readonly programs: readonly string[]
}

async function passUnderLoad({ cluster, customApi, databaseUrl, programs }: Setting): Promise<readonly string[]> {
  const random = createRandom(seed)
  const [operations, lineages]: [Operation[], Lineage[]] = [[], []]
  await cluster.log.untilRead()
  cluster.log.forget()
  const phase: Phase = { now: 'busy' }
  let isBusy = true
  const writing = { cluster, random: createRandom(seed + 1), operations, prefix: `s${seed}`, stopped: () => !isBusy }
  await fill(writing)
  const shared = { cluster, random, lineages, phase }
  const readers = startReaders(shared)
  const load = runSteadyLoad({ cluster, random: createRandom(seed + 2), customApi, stopped: () => !isBusy })
  const work = [runWriters(writing), runProbes(shared)]
  await sleep(restMs)
  for (const program of programs) {
    for (const replica of cluster.replicas) await move(replica, program, cluster.token)
    await sleep(restMs)
  }
  phase.now = 'settling'
  isBusy = false
  await Promise.all(work)
  const { requests, repeated, failures } = await load
  const listed = await comeToRest(cluster, lineages)
  phase.now = 'over'
  await Promise.all(readers)
  const judged = judge({ log: cluster.log, operations, lineages, listed, floorAt: () => 0 })
  const violations = [...judged].flatMap(([name, wrong]) => wrong.map((what) => `${name}: ${what}`))
  const inDatabase = await checkStore(databaseUrl)
  const unanswered = operations.filter(({ outcome }) => outcome === 'unknown').length
  const frames = lineages.flatMap(({ sessions }) => sessions.flatMap((session) => session.frames)).length
  console.log(
    `${requests} reads and calls of a plugin, ${repeated} repeated after a broken connection, ${failures.length} failed`,
  )
  console.log(
    `${operations.length} writes, ${unanswered} without an answer; ${cluster.log.entries.length} changes, ${frames} frames`,
  )
  const faults = [...failures, ...violations, ...inDatabase]
  console.log(
    `an upgrade and a rollback of 3 replicas: ${failures.length} failed requests, ${violations.length} violations`,
  )
  return faults
}

async function move(replica: Replica, program: string, token: string): Promise<void> {
  const began = performance.now()
  await replica.halt()
  replica.proceed(program)
  await untilServing(replica, token)
  console.log(
    `replica ${replica.at} runs ${program === command ? 'the new' : 'the old'} version after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

async function signIn([replica]: readonly Replica[]): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password, transport: 'token' })
  // Its own address, not that of the link.
  const origin = `http://127.0.0.1:${replica?.clients.target}`
  const headers = { 'content-type': 'application/json', origin }
  const response = await fetch(`${replica?.url}/auth/sessions`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { readonly token: string }).token
}

/** A plugin with a custom API; resolves when every replica answers it. */
async function installEcho({ replicas, token }: Pick<Setting['cluster'], 'replicas' | 'token'>): Promise<string> {
  const body = hostilePackage({ name: 'echoing', apis: { echo: "(request, response) => response.end('{}')" } })
  const url = replicas[0]?.url ?? ''
  const installed = await installPackage({ url, token }, body)
  if (!installed.ok) throw new Error(`the plugin is refused: ${installed.status} ${await installed.text()}`)
  const path = apiOf('echoing', 'echo')
  const headers = { authorization: `Bearer ${token}` }
  for (const replica of replicas) {
    while (!(await fetch(`${replica.url}${path}`, { headers })).ok) await sleep(100)
  }
  return path
}
