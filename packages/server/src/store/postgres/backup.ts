import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { RestoreOptions, Tell, Verified } from '../backup.ts'
import { writeNewFile } from '../new-file.ts'
import { usableNumber, type SchemaVersion } from '../schema-version.ts'
import { migrations } from './migrate.ts'

/** Where Debian installs the programs of every PostgreSQL version. */
const installedBelow = '/usr/lib/postgresql'
const shownLines = 5
/** The schema itself, which is there when its content is restored. */
const schemaEntry = /^\d+; \d+ \d+ (?:SCHEMA|(?:COMMENT|ACL) - SCHEMA) (?:- )?\w+\b/

/** A database, or one of the installations in it. */
export interface DatabasePlace {
  readonly url: string
  /** `public` by default. */
  readonly schema?: string | undefined
}

/** Uses pg_dump, which reads one snapshot while others write. */
export async function backUpPostgres({ url, schema = 'public' }: DatabasePlace, to: string, tell: Tell): Promise<void> {
  await using database = await connectTo(url)
  const program = await programFor('pg_dump', await majorOf(database.client))
  await writeNewFile(to, (part) =>
    run({
      program,
      words: [
        '--format=custom',
        '--no-owner',
        '--no-privileges',
        `--schema=${schema}`,
        '--no-unlogged-table-data',
        '--verbose',
        `--file=${part}`,
      ],
      url,
      tell,
    }),
  )
}

export async function restorePostgres(
  { url, schema = 'public' }: DatabasePlace,
  { from, replace, tell }: RestoreOptions,
): Promise<string | undefined> {
  if (!existsSync(from)) throw new Error(`there is no file ${from}`)
  await using database = await connectTo(url)
  const { client } = database
  const program = await programFor('pg_restore', await majorOf(client))
  const { list, schema: saved } = await contentsOf(program, from)
  if (saved !== schema)
    throw new Error(`${from} is of the schema ${saved}; set database.schema to it instead of ${schema}`)
  usableNumber(await schemaOf(program, from), migrations)
  await assertUnused(client)
  const isThere = (await client.query('SELECT FROM pg_tables WHERE schemaname = $1 LIMIT 1', [schema])).rows.length > 0
  if (isThere && !replace) throw new Error('the database is not empty; use --replace to move its content aside')
  const aside = isThere ? `before_${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}` : undefined
  if (aside !== undefined) await client.query(`ALTER SCHEMA "${schema}" RENAME TO ${aside}`)
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  const directory = mkdtempSync(join(tmpdir(), 'pergola-restore-'))
  try {
    const file = join(directory, 'contents')
    writeFileSync(file, list)
    const words = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--verbose']
    await run({ program, words: [...words, `--use-list=${file}`, from], url, tell })
    await client.query(`DELETE FROM "${schema}".sessions`)
  } catch (error) {
    if (aside !== undefined)
      await client.query(`DROP SCHEMA "${schema}" CASCADE; ALTER SCHEMA ${aside} RENAME TO "${schema}"`)
    throw error
  } finally {
    rmSync(directory, { recursive: true })
  }
  return aside && `the schema ${aside}`
}

/** Needs no server: pg_restore unpacks every part into nothing. */
export async function verifyPostgres(from: string, tell: Tell): Promise<Verified> {
  const program = await programFor('pg_restore', 0)
  await contentsOf(program, from)
  const schema = await schemaOf(program, from)
  usableNumber(schema, migrations)
  await run({ program, words: ['--verbose', `--file=${devNull}`, from], tell })
  return { engine: 'PostgreSQL', schema }
}

async function connectTo(url: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: url, application_name: 'pergola backup' })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

async function majorOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  )
  return rows[0]?.version ?? 0
}

async function assertUnused(client: Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  )
  const { count } = rows[0] ?? { count: 0 }
  if (count > 0) throw new Error(`${count} others are connected to the database; stop the servers first`)
}

/** The list of its entries without the schema itself, and the name of that. */
async function contentsOf(program: string, from: string): Promise<{ readonly list: string; readonly schema: string }> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--list', from], { maxBuffer: 64 * 1024 * 1024 })
    const [, schema] = / TABLE (\w+) models /.exec(stdout) ?? []
    if (schema === undefined) throw new Error('it has none of our tables')
    const lines = stdout.split('\n').filter((line) => !schemaEntry.test(line))
    return { list: lines.join('\n'), schema }
  } catch (error) {
    throw new Error(`${from} is no backup of a PostgreSQL database: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads the list of migrations in the backup: one line for each, with its columns separated by tabs. */
async function schemaOf(program: string, from: string): Promise<SchemaVersion> {
  const words = ['--data-only', '--table=schema_migrations', '--file=-', from]
  const { stdout } = await promisify(execFile)(program, words)
  const [, columns = '', rows = ''] = /^COPY [^(]*\(([^)]*)\) FROM stdin;\n(.*?)^\\\.$/ms.exec(stdout) ?? []
  const names = columns.split(', ')
  const recorded = rows
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const values = row.split('\t')
      const number = Number(values[names.indexOf('number')])
      return { number, lowestReader: Number(values[names.indexOf('lowest_reader')] ?? number) || number }
    })
  return {
    number: Math.max(0, ...recorded.map(({ number }) => number)),
    lowestReader: Math.max(0, ...recorded.map(({ lowestReader }) => lowestReader)),
  }
}

/** The program must not be older than the server. */
async function programFor(name: 'pg_dump' | 'pg_restore', server: number): Promise<string> {
  const versions = existsSync(installedBelow) ? readdirSync(installedBelow) : []
  const places = [name, ...versions.map((version) => join(installedBelow, version, 'bin', name))]
  const found: number[] = []
  for (const program of places) {
    const version = await versionOf(program)
    if (version !== undefined && version >= server) return program
    if (version !== undefined) found.push(version)
  }
  const have = found.length === 0 ? `there is no ${name} here` : `${name} is of version ${Math.max(...found)} here`
  throw new Error(`${have}, and the server of ${server}: install postgresql-client-${server} or newer`)
}

async function versionOf(program: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'])
    return Number(/ (\d+)/.exec(stdout)?.[1])
  } catch {
    return undefined
  }
}

interface Program {
  readonly program: string
  readonly words: readonly string[]
  /** The database; none to work on files alone. */
  readonly url?: string
  readonly tell: Tell
}

/** The password is not passed as an argument: other users can read those. */
async function run({ program, words, url, tell }: Program): Promise<void> {
  const bare = url === undefined ? undefined : new URL(url)
  const password = bare?.password ?? ''
  if (bare) bare.password = ''
  const child = spawn(program, [...(bare ? [`--dbname=${bare.href}`] : []), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // oxlint-disable-next-line node/no-process-env -- settings such as PGSSLROOTCERT are its own
    env: { ...process.env, ...(password !== '' && { PGPASSWORD: decodeURIComponent(password) }) },
  })
  const ended = once(child, 'close')
  let last: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    const said = line.replace(/^pg_\w+: /, '')
    last = [...last, said].slice(-shownLines)
    tell(said)
  }
  await ended
  if (child.exitCode !== 0) throw new Error(`${program} ended with ${child.exitCode}:\n  ${last.join('\n  ')}`)
}
