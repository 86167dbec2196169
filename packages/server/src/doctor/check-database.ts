import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import { databaseAddress } from '../store/postgres/connection/database-address.ts'
import { inSchema, schemaAdvice } from '../store/postgres/connection/in-schema.ts'
import {
  examinePostgres,
  keepsNamedStatements,
  notifiesBetween,
  type DatabaseFacts,
} from '../store/postgres/examine.ts'
import { migrations as postgresMigrations } from '../store/postgres/migrate.ts'
import { migrations as sqliteMigrations } from '../store/sqlite/migrate.ts'
import { schemaInHeader } from '../store/sqlite/examine.ts'
import { missing, UnusableSchema, usableNumber, type Migration } from '../store/schema-version.ts'
import { wordsOf, type Check, type Finding } from './finding.ts'

const mostApartMs = 2_000
/** A replica opens up to 16. */
const fewConnections = 20
const timeCommand = 'timedatectl set-ntp true'

/** Of the configured database, directly: servers need not run. */
export function databaseChecks(config: Pick<Config, 'database'>): readonly Check[] {
  const database = inSchema(config.database)
  const { url } = database
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length)
    return [{ name: 'database', run: async () => sqliteFindings(file), lateAdvice: `ls -l ${dirname(file)}` }]
  }
  const reach = reachCommand(url)
  const checks: readonly Check[] = [
    {
      name: 'database',
      run: async (signal) => {
        try {
          return postgresFindings(database, await examinePostgres(url, signal))
        } catch (error) {
          return [unreachable('database', 'database.url', { url, error })]
        }
      },
      lateAdvice: `${reach}  shows whether PostgreSQL answers there`,
    },
    { name: 'statements', run: (signal) => statementFindings(database, signal) },
    { name: 'notices', run: (signal) => noticeFindings(database, signal) },
  ]
  return checks
}

function sqliteFindings(file: string): readonly Finding[] {
  const name = 'database'
  const folder = dirname(file)
  if (!existsSync(folder)) {
    return [{ level: 'failed', name, words: `the folder ${folder} does not exist`, advice: `mkdir -p ${folder}` }]
  }
  if (!existsSync(file)) return [{ level: 'ok', name, words: `${file} is created at the first start` }]
  const number = schemaInHeader(file)
  if (number === undefined) {
    const advice = `mv ${file} ${file}.other  and restore a backup, or start with an empty database`
    return [{ level: 'failed', name, words: `${file} is not a SQLite database`, advice }]
  }
  const own = sqliteMigrations.at(-1)?.number ?? 0
  // A new number may still be in the log beside the file.
  const schema = number === 0 ? '' : schemaWords(number, sqliteMigrations)
  if (number <= own) return [{ level: 'ok', name, words: `SQLite ${file}${schema}` }]
  const words = `${file} has schema ${number}, newer than ${own} of this release, whose server may refuse it`
  return [{ level: 'warn', name, words, advice: 'use the release that upgraded the database' }]
}

function postgresFindings({ url, schema: wanted }: Config['database'], facts: DatabaseFacts): readonly Finding[] {
  const { version, schema, schemaName, isReadOnly, connections, aheadMs } = facts
  const found: Finding[] = []
  if (wanted !== undefined && schemaName !== wanted && schemaName !== null) {
    const words = `database.url uses the schema ${schemaName} instead of ${wanted}`
    return [{ level: 'failed', name: 'schema', words, advice: schemaAdvice(url, wanted) }]
  }
  try {
    const number = usableNumber(schema, postgresMigrations)
    const words = `${databaseAddress(url)}, version ${version}${schemaWords(number, postgresMigrations)}`
    found.push({ level: 'ok', name: 'database', words })
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error
    const advice = 'use the release that upgraded the database, or restore a backup from before the upgrade'
    found.push({ level: 'failed', name: 'database', words: error.message, advice })
  }
  if (isReadOnly) {
    const advice = 'set database.url to the primary'
    found.push({ level: 'failed', name: 'writes', words: 'the database is read-only, such as a standby', advice })
  }
  const free = connections.most - connections.used
  const words = `${connections.used} of ${connections.most} connections are used`
  const advice = 'raise max_connections of PostgreSQL, or use a pooler and set database.url and database.directUrl'
  found.push(
    free < fewConnections
      ? { level: 'warn', name: 'connections', words: `${words}; a server opens up to 16`, advice }
      : { level: 'ok', name: 'connections', words },
  )
  return [...found, clockFinding(aheadMs)]
}

function schemaWords(number: number, known: readonly Migration[]): string {
  if (number === 0) return ', empty'
  const next = missing(number, known).at(-1)
  return `, schema ${number}${next ? `; the next start upgrades it to ${next.number}` : ''}`
}

function clockFinding(aheadMs: number): Finding {
  const name = 'db clock'
  const apart = Math.abs(aheadMs)
  if (apart < mostApartMs) return { level: 'ok', name, words: 'the same as on this machine' }
  const words = `${Math.round(apart / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`
  return { level: 'warn', name, words, advice: `${timeCommand}  on both machines` }
}

async function statementFindings(
  { url, namedStatements }: Config['database'],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const name = 'statements'
  if (!namedStatements) return [{ level: 'ok', name, words: 'without names (database.namedStatements: false)' }]
  try {
    if (await keepsNamedStatements(url, signal)) return [{ level: 'ok', name, words: 'with names' }]
  } catch {
    // The check of the database says why it cannot be reached.
    return []
  }
  const words = 'the pooler at database.url mixes up prepared statements of different clients'
  return [{ level: 'failed', name, words, advice: 'set database.namedStatements: false' }]
}

async function noticeFindings(
  { url, directUrl, namedStatements }: Config['database'],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const name = 'notices'
  const advice = 'set database.directUrl to the address of PostgreSQL itself: a pooler does not pass notifications on'
  // As the server decides where to listen.
  const to = directUrl ?? (namedStatements ? url : undefined)
  if (to === undefined)
    return [{ level: 'warn', name, words: 'changes are polled: there is no database.directUrl', advice }]
  try {
    if (await notifiesBetween({ from: url, to }, signal)) {
      return [
        { level: 'ok', name, words: `arrive at ${directUrl === undefined ? 'database.url' : 'database.directUrl'}` },
      ]
    }
  } catch (error) {
    return directUrl === undefined ? [] : [unreachable(name, 'database.directUrl', { url: directUrl, error })]
  }
  if (directUrl === undefined) return [{ level: 'warn', name, words: 'do not arrive; changes are polled', advice }]
  const words = 'do not get from database.url to database.directUrl'
  const both = 'set both to one database of one server; directUrl must not be a pooler'
  return [{ level: 'failed', name, words, advice: both }]
}

function unreachable(
  name: string,
  setting: string,
  { url, error }: { readonly url: string; readonly error: unknown },
): Finding {
  const words = `${databaseAddress(url)} cannot be used: ${wordsOf(error)}`
  return { level: 'failed', name, words, advice: `check ${setting}; ${reachCommand(url)}  shows whether it answers` }
}

function reachCommand(url: string): string {
  const { hostname, port } = new URL(url)
  return `pg_isready -h ${hostname.replace(/^\[|\]$/g, '')} -p ${port || '5432'}`
}
