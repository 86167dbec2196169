import { indexKey } from '../../packages/server/src/store/index-key.ts'
import { orderOf } from '../../packages/server/src/store/list-order.ts'
import { pageSql } from '../../packages/server/src/store/postgres/list/list.ts'
import { objectColumns } from '../../packages/server/src/store/postgres/object-row.ts'
import { cities, personOf } from '../http/people.ts'
import type { OpenModel } from '../http/stored-model.ts'

/** Scripts that pgbench repeats: the store's own statements, with parameters computed in the database from a random number. */
export function pgbenchScripts({ table, statements }: OpenModel, objects: number): Readonly<Record<string, string>> {
  const slot = table.indexes.find(({ multi }) => multi)?.slot ?? 0
  const { metadata, spec } = personOf(1)
  const labels = `'${JSON.stringify(metadata.labels)}'`
  const sets = `'${JSON.stringify({ [slot]: spec.tags })}'`
  const data = `'\\x${Buffer.from(`,"labels":${JSON.stringify(metadata.labels)}},"spec":${JSON.stringify(spec)}}`).toString('hex')}'`
  const city = `('city-' || :n % ${cities})`
  const existing = `('p-' || :n)`
  const stored = `SELECT %s FROM m_${table.id} WHERE name = ${existing}`
  const indexed = (email: string) => [labels, sets, city, ageKey(), email]
  const list = pageSql(
    table,
    {
      where: [{ field: 'spec.city', is: { op: '=', value: 'any' } }],
      sort: [{ field: 'spec.age', descending: true }],
      limit: 20,
    },
    { order: orderOf(table, [{ field: 'spec.age', descending: true }]), after: undefined, plan: { way: 'composite' } },
  )
  const ofExisting = `\\set n random(0, ${objects - 1})`
  const ofNew = '\\set n random(1, 2000000000)'
  const script = (set: string, text: string, values: readonly string[]) => `${set}\n${withValues(text, values)};\n`
  return {
    get: script(ofExisting, `SELECT ${objectColumns} FROM m_${table.id} o WHERE name = $1`, [existing]),
    'list 20, filter, sort': script(
      ofExisting,
      list.text,
      list.values.map((value) => (value === 'any' ? city : literal(value))),
    ),
    create: script(ofNew, statements.createOne, [
      `('n-' || :n)`,
      'gen_random_uuid()',
      'false',
      `'v1'`,
      data,
      ...indexed(`('n' || :n || '@example.com')`),
    ]),
    update: script(ofExisting, statements.updateQuickOne, [
      existing,
      `(${stored.replace('%s', 'uid')})`,
      `(${stored.replace('%s', 'version')})`,
      'false',
      `'v1'`,
      '1',
      data,
      ...indexed(`('p' || :n || '@example.com')`),
    ]),
  }
}

/** One of a hundred ages, encoded as the store compares numbers. */
function ageKey(): string {
  const keys = Array.from({ length: 100 }, (_, age) => {
    const made = indexKey('number', age)
    if (!('key' in made)) throw new Error(`there is no key for ${age}`)
    return literal(made.key)
  })
  return `(ARRAY[${keys.join(', ')}])[1 + :n % 100]`
}

function withValues(text: string, values: readonly string[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, number) => {
    const value = values[Number(number) - 1]
    if (value === undefined) throw new Error(`nothing is given for $${number}`)
    return value
  })
}

function literal(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
