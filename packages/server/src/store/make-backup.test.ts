import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '@pergola/test-servers'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { create, people } from './contract/fixture.ts'
import { backUp, restore, verifyBackup } from './make-backup.ts'
import { openStore } from './open-store.ts'
import { sql, statement } from './sql.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-make-backup-'))
afterAll(() => rmSync(directory, { recursive: true }))
const quiet = () => {}

const open = async (url: string) => {
  const store = await openStore({ url, onConnectionLost: quiet })
  await store.openModel(people)
  return store
}
const namesIn = async (url: string) => {
  await using store = await open(url)
  return (await store.list(people, { limit: 10, total: 'none' })).items.map(({ name }) => name)
}

let count = 0
const engines = [
  {
    engine: 'SQLite',
    database: async () => ({
      url: `sqlite:${join(directory, `${++count}.db`)}`,
      [Symbol.asyncDispose]: async () => {},
    }),
  },
  { engine: 'PostgreSQL', database: () => createDatabase(inject('postgres')['15']) },
] as const

describe.each(engines)('on $engine', ({ database }) => {
  test('a restore brings back the backup, and moves the current data aside', async () => {
    await using here = await database()
    const file = join(directory, `backup-${++count}`)
    const told: string[] = []
    {
      await using store = await open(here.url)
      await store.write([create('before')])
      await backUp(here, file, (words) => told.push(words))
      await store.write([create('after')])
      await expect(restore(here, { from: file, replace: true, tell: quiet })).rejects.toThrow(/first$/)
    }
    expect(told.length).toBeGreaterThan(0)
    await expect(backUp(here, file, quiet)).rejects.toThrow('already exists')
    await expect(restore(here, { from: file, replace: false, tell: quiet })).rejects.toThrow('--replace')
    const restored = await restore(here, { from: file, replace: true, tell: quiet })
    expect(restored).toEqual({ aside: expect.stringContaining('before') as string, isChecked: true })
    expect(await namesIn(here.url)).toEqual(['before'])
  })

  test('an empty database is restored from a backup taken without a server', async () => {
    await using here = await database()
    await using there = await database()
    const file = join(directory, `backup-${++count}`)
    {
      await using store = await open(here.url)
      await store.write([create('moved')])
    }
    await backUp(here, file, quiet)
    chmodSync(file, 0o644)
    rmSync(`${file}.sha256`)
    expect(await restore(there, { from: file, replace: false, tell: quiet })).toEqual({
      aside: undefined,
      isChecked: false,
    })
    expect(await namesIn(there.url)).toEqual(['moved'])
    // An account that may read the backup may not be allowed to read the database.
    if (there.url.startsWith('sqlite:')) expect(statSync(there.url.slice('sqlite:'.length)).mode & 0o777).toBe(0o600)
  })

  test('a backup that was changed after it was made is refused', async () => {
    await using here = await database()
    const file = join(directory, `backup-${++count}`)
    {
      await using store = await open(here.url)
      await store.write([create('kept')])
    }
    await backUp(here, file, quiet)
    const { engine, schema, isChecked } = await verifyBackup(file, quiet)
    expect(isChecked && here.url.startsWith(engine.toLowerCase().slice(0, 6))).toBe(true)
    expect(schema.number).toBeGreaterThan(schema.lowestReader - 1)
    const bytes = readFileSync(file)
    const middle = Math.floor(bytes.length / 2)
    bytes.fill(255, middle, middle + 16)
    writeFileSync(file, bytes)
    await expect(verifyBackup(file, quiet)).rejects.toThrow('does not match')
    await expect(restore(here, { from: file, replace: true, tell: quiet })).rejects.toThrow('does not match')
    expect(await namesIn(here.url)).toEqual(['kept'])
  })

  test('a backup of a database that only newer servers can use is refused', async () => {
    await using here = await database()
    await using there = await database()
    const file = join(directory, `backup-${++count}`)
    {
      await using store = await open(here.url)
      const isSqlite = here.url.startsWith('sqlite:')
      await store[sql](statement('INSERT INTO schema_migrations (number, lowest_reader) VALUES (99, 98)'))
      if (isSqlite) await store[sql](statement('PRAGMA user_version = 99'))
    }
    await backUp(here, file, quiet)
    const words = 'the database has schema 99, for servers with schema 98 or later'
    await expect(verifyBackup(file, quiet)).rejects.toThrow(words)
    await expect(restore(there, { from: file, replace: false, tell: quiet })).rejects.toThrow(words)
    await expect(open(here.url)).rejects.toThrow(words)
  })

  test('an invalid or missing backup changes nothing', async () => {
    await using here = await database()
    {
      await using store = await open(here.url)
      await store.write([create('kept')])
    }
    const file = join(directory, `broken-${++count}`)
    await expect(restore(here, { from: file, replace: true, tell: quiet })).rejects.toThrow('no file')
    writeFileSync(file, 'no database'.repeat(1_000))
    await expect(verifyBackup(file, quiet)).rejects.toThrow(/is no (whole )?backup/)
    await expect(restore(here, { from: file, replace: true, tell: quiet })).rejects.toThrow(/is no (whole )?backup/)
    expect(await namesIn(here.url)).toEqual(['kept'])
  })
})

describe('a restore to a SQLite file', () => {
  const fresh = async () => {
    const file = join(directory, `${++count}.db`)
    await using store = await open(`sqlite:${file}`)
    await store.write([create('kept')])
    return { file, url: `sqlite:${file}`, backup: `${file}.backup` }
  }

  test('that fails leaves no file behind', async () => {
    const { file, url, backup } = await fresh()
    await backUp({ url }, backup, quiet)
    rmSync(`${backup}.sha256`)
    const whole = statSync(backup).size
    const before = readdirSync(directory).length
    {
      await using _ = await open(url)
      await expect(restore({ url }, { from: backup, replace: true, tell: quiet })).rejects.toThrow('in use')
      expect(existsSync(`${file}.part`)).toBe(false)
    }
    for (const size of [whole - 4_096, whole - 1, whole / 2, 5_000]) {
      truncateSync(backup, size)
      await expect(restore({ url }, { from: backup, replace: true, tell: quiet })).rejects.toThrow('no whole backup')
      expect(readdirSync(directory)).toHaveLength(before)
    }
    expect(await namesIn(url)).toEqual(['kept'])
  })

  test('replaces a damaged file, which is moved aside', async () => {
    const { file, url, backup } = await fresh()
    await backUp({ url }, backup, quiet)
    truncateSync(file, statSync(file).size / 2)
    expect((await restore({ url }, { from: backup, replace: true, tell: quiet })).aside).toContain('before')
    expect(await namesIn(url)).toEqual(['kept'])
  })
})

test('a backup of a missing file fails', async () => {
  await expect(backUp({ url: `sqlite:${join(directory, 'nowhere.db')}` }, join(directory, 'x'), quiet)).rejects.toThrow(
    'no database',
  )
})

test('a backup of one schema is restored without touching others in its database', async () => {
  await using database = await createDatabase(inject('postgres')['15'])
  const { url } = database
  const schema = 'own'
  const file = join(directory, `backup-${++count}`)
  const opened = async (of: string | undefined) => {
    const store = await openStore({ url, schema: of, onConnectionLost: quiet })
    await store.openModel(people)
    return store
  }
  const written = async (of: string | undefined, name: string) => {
    await using store = await opened(of)
    await store.write([create(name)])
  }
  const names = async (of: string | undefined) => {
    await using store = await opened(of)
    return (await store.list(people, { limit: 10, total: 'none' })).items.map(({ name }) => name).toSorted()
  }
  await written(undefined, 'neighbour')
  await written(schema, 'saved')
  await backUp({ url, schema }, file, quiet)
  await written(schema, 'later')
  await written(undefined, 'later')
  await expect(restore({ url }, { from: file, replace: true, tell: quiet })).rejects.toThrow(
    'is of the schema own; set database.schema to it instead of public',
  )
  expect(await restore({ url, schema }, { from: file, replace: true, tell: quiet })).toMatchObject({
    aside: expect.stringMatching(/^the schema before_\d+$/) as string,
  })
  expect(await names(schema)).toEqual(['saved'])
  expect(await names(undefined)).toEqual(['later', 'neighbour'])
  await using elsewhere = await createDatabase(inject('postgres')['15'])
  await restore({ url: elsewhere.url, schema }, { from: file, replace: false, tell: quiet })
  expect(await verifyBackup(file, quiet)).toMatchObject({ engine: 'PostgreSQL' })
})
