import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { always, type Fault, type FaultContext, type Injected } from './fault.ts'
import { forkLog, wholeLog } from './fork.ts'
import { query, type Installation } from './installation.ts'

const command = join(import.meta.dirname, '../../../packages/cli/src/main.ts')

/** Restores a backup that was taken during the load. */
export const restore: Fault = {
  name: 'restore',
  counted: 'the start of the servers',
  isPossible: always,
  forks: true,
  inject: goBack,
}

async function goBack({ installation, random }: FaultContext): Promise<Injected> {
  const { replicas, pooler, log, databaseUrl } = installation
  const directory = mkdtempSync(join(tmpdir(), 'pergola-cluster-'))
  const file = join(directory, 'backup')
  try {
    await pergola(installation, ['backup', file])
    await sleep(random.whole(500, 3_000))
    const began = performance.now()
    await Promise.all(replicas.map((replica) => replica.halt()))
    // The pooler keeps connections open, and a restore needs exclusive access.
    await pooler?.kill()
    await log.pause()
    const lost = await wholeLog(databaseUrl, log.start)
    const sessions = await query<{ session: string }>(databaseUrl, 'SELECT to_json(s)::text AS session FROM sessions s')
    await pergola(installation, ['restore', file, '--replace'])
    for (const { session } of sessions) await query(databaseUrl, signIn, [session])
    await forgetAside(databaseUrl)
    await pooler?.restart()
    for (const replica of replicas) replica.proceed()
    const since = performance.now()
    const afterwards = async () => ({ fork: await forkLog(log, databaseUrl, { kind: 'restored', began, lost }) })
    return { since, afterwards }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A restore ends all sessions; the readers and writers here use tokens that stay valid. */
const signIn = 'INSERT INTO sessions SELECT * FROM json_populate_record(NULL::sessions, $1::json)'

async function pergola({ databaseUrl }: Installation, words: readonly string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], PERGOLA_DATABASE_URL: databaseUrl }
  await promisify(execFile)(process.execPath, ['--conditions=@pergola/source', command, ...words], {
    env,
    cwd: tmpdir(),
  })
}

async function forgetAside(url: string): Promise<void> {
  const found = await query<{ name: string }>(
    url,
    `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'before\\_%'`,
  )
  for (const { name } of found) await query(url, `DROP SCHEMA ${name} CASCADE`)
}
