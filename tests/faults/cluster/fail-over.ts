import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { createRandom } from '../../fuzz/random.ts'
import { ask } from '../watch/ask.ts'
import { declareModel } from '../watch/cluster.ts'
import { runProbe } from '../watch/readers.ts'
import { selections } from '../watch/selections.ts'
import { group, modelBody } from '../watch/things.ts'
import { always, type Fault, type FaultContext, type Injected } from './fault.ts'
import { forkLog, wholeLog, type ForkKind } from './fork.ts'
import { query, type Installation } from './installation.ts'

/** The primary database dies, and its follower is promoted. */
export const failOvers: readonly Fault[] = [
  {
    name: 'fail-over',
    counted: 'the death of the database',
    isPossible: always,
    forks: true,
    inject: ({ installation }) => failOver(installation, 'synchronous'),
  },
  {
    name: 'lost tail',
    counted: 'the death of the database',
    isPossible: always,
    forks: true,
    inject: (context) => loseTail(context, failOver),
  },
  {
    name: 'lost tail unseen',
    counted: 'the opening of its link',
    isPossible: always,
    forks: true,
    inject: (context) => loseTail(context, failOverUnseen),
  },
  // A revision is verified by its number and tag only. Later changes that a list has shown are not verified,
  // so clients are not told of their loss yet.
  {
    name: 'lost tail without order',
    onlyNamed: true,
    counted: 'the death of the database',
    isPossible: always,
    forks: true,
    inject: loseUnordered,
  },
]

const ghosts = { kind: 'Ghost', singular: 'ghost', plural: 'ghosts' }
const goneSeconds = 10
const listers = 18
/** Time for a list on a busy machine. */
const listMs = 700
const stayMs = 10_000
/** More changes than are written while a number is read. */
const headStart = 30

/** From some moment on, acknowledged writes do not reach the follower; one of them declares a model. */
async function loseTail({ installation, random }: FaultContext, end: typeof failOver): Promise<Injected> {
  const { pair, replicas, token } = installation
  await pair.waitForFollower(false)
  await pair.cutFollower()
  const body = { ...modelBody, spec: { ...modelBody.spec, ...ghosts, indexes: [] } }
  await declareModel([random.pick(replicas)], { token, body })
  await sleep(random.whole(200, 3_000))
  const { since, afterwards } = await end(installation, 'asynchronous')
  return {
    since,
    afterwards: async () => ({ ...(await afterwards?.()), violations: await keptGhosts(installation) }),
  }
}

/** One replica does not notice the fail-over until the new history is longer than the one it knows. */
async function failOverUnseen(installation: Installation, kind: ForkKind): Promise<Injected> {
  const { pair, replicas, urlAt } = installation
  const late = replicas[0]
  late?.database.hold()
  const known = await newestNumber(urlAt(pair.url))
  const { afterwards } = await failOver(installation, kind)
  while ((await newestNumber(urlAt(pair.url))) < known + headStart) await sleep(50)
  late?.database.cut()
  late?.database.release()
  return { since: performance.now(), ...(afterwards && { afterwards }) }
}

async function newestNumber(url: string): Promise<number> {
  const [row] = await query<{ revision: string }>(url, 'SELECT revision FROM sequencer')
  return Number(row?.revision)
}

/** The lost changes were committed and listed, but not sequenced yet. */
async function loseUnordered(context: FaultContext): Promise<Injected> {
  const { installation, random } = context
  const { pair, urlAt } = installation
  await pair.waitForFollower(false)
  await using _held = await holdSequencer(urlAt(pair.url))
  await pair.untilFollowed()
  await pair.cutFollower()
  await sleep(random.whole(300, 1_500))
  const listing = Array.from({ length: listers }, (_, at) => listAndStay(context, `lister ${at + 1}`))
  await sleep(listMs)
  const { since, afterwards } = await failOver(installation, 'asynchronous')
  return {
    since,
    afterwards: async () => {
      const aftermath = (await afterwards?.()) ?? {}
      await Promise.all(listing)
      return aftermath
    },
  }
}

/** Lists changes that are about to be lost and watches from there for a while. */
function listAndStay({ installation, random, lineages }: FaultContext, name: string): Promise<void> {
  const habits = { begin: 'list', stay: [stayMs, stayMs], rest: [0, 0] } as const
  const own = { random: createRandom(random.seed()), phase: { now: 'busy' as const } }
  return runProbe({ ...own, name, cluster: installation, lineages, selection: random.pick(selections), habits })
}

/** Pauses the sequencer. */
async function holdSequencer(url: string): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: url, application_name: 'faults' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`SELECT pg_advisory_lock(hashtextextended('pergola sequencer', 0))`)
  return { [Symbol.asyncDispose]: () => client.end().catch(() => {}) }
}

async function failOver(installation: Installation, kind: ForkKind): Promise<Injected> {
  const { pair, log, urlAt, moveAddress } = installation
  await log.pause()
  await pair.kill()
  const since = performance.now()
  await pair.promote()
  moveAddress()
  return {
    since,
    afterwards: async () => {
      const lost = await wholeLog(urlAt(await pair.wakeFormer()), log.start)
      const fork = await forkLog(log, urlAt(pair.url), { kind, began: since, lost })
      await pair.rebuild()
      await pair.waitForFollower(true)
      return { fork }
    },
  }
}

/** Checks that no replica still serves the lost model. */
async function keptGhosts({ replicas, token }: Installation): Promise<readonly string[]> {
  const path = `/apis/${group}/v1/${ghosts.plural}`
  const answers = await Promise.all(
    replicas.map(async ({ at, url }) => {
      const deadline = performance.now() + goneSeconds * 1000
      let { status } = await ask({ url, token, method: 'GET', path })
      while (status !== 404 && performance.now() < deadline) {
        await sleep(100)
        ;({ status } = await ask({ url, token, method: 'GET', path }))
      }
      return status === 404 ? [] : [`replica ${at} answers ${status} for a model that is lost`]
    }),
  )
  return answers.flat()
}
