import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { postgresFixture } from '../../contract/postgres-fixture.ts'
import { orderOf } from '../../list-order.ts'
import { defaultCandidateLimit, obviousWay } from '../../list-selection.ts'
import type { ModelTable } from '../../model-table.ts'
import type { AnyOf, ListQuery } from '../../store.ts'
import { createCatalog } from '../catalog.ts'
import { choosePlan } from '../list/list-plan.ts'
import { pageSql } from '../list/list.ts'

/**
 * A generic plan does not know the values. Half of the objects are in one city and the others in a city each; all but five
 * have one age, and all but five are in one team and one group. So the average that the plan assumes is wrong for every value.
 */
const people = {
  group: 'example.com',
  plural: 'people',
  indexes: [{ name: 'city' }, { name: 'age' }, { name: 'groups', multi: true }],
  composites: [
    [{ index: 'city' }, { index: 'age', descending: true }],
    [{ index: 'age' }, { index: 'city' }],
  ],
}
const objects = 40_000
const rowsOfPage = 21
const by = (field: string, value: string) => ({ field, is: { op: '=' as const, value } })
const team = (value: string) => ({ label: 'team', is: { op: '=' as const, value } })
const byAge = (descending: boolean) => [{ field: 'age', descending }]
const pages: readonly { readonly what: string; readonly query: Partial<ListQuery> }[] = [
  { what: 'a composite, of a common value', query: { where: [by('city', 'large')], sort: byAge(true) } },
  { what: 'a composite backwards', query: { where: [by('city', 'large')], sort: byAge(false) } },
  {
    what: 'a composite, of a rare value, with its total',
    query: { where: [by('city', 'city-1')], sort: byAge(true), total: 'bounded' },
  },
  {
    what: 'a composite, of a rare value among common ones, with its total',
    query: { where: [by('age', 'rare')], sort: [{ field: 'city', descending: false }], total: 'bounded' },
  },
  { what: 'a common label', query: { where: [team('common')] } },
  { what: 'a rare value of a set, with its total', query: { where: [by('groups', 'rare')], total: 'bounded' } },
  { what: 'a rare label, with its total', query: { where: [team('rare')], total: 'bounded' } },
  { what: 'everything by creation', query: {} },
  { what: 'everything by an index', query: { sort: byAge(false) } },
]

describe('a plan reads only the page:', () => {
  const resources = new AsyncDisposableStack()
  let pool: Pool
  let client: PoolClient
  let table: ModelTable
  beforeAll(async () => {
    const fixture = resources.use(await postgresFixture(inject('postgres')['18'], (url) => ({ url })))
    await fixture.store.openModel(people)
    pool = new Pool({ connectionString: fixture.url })
    // The database may be dropped before its last connection closes.
    pool.on('error', () => {})
    resources.defer(() => pool.end())
    client = await pool.connect()
    resources.defer(() => client.release())
    await client.query(`
      INSERT INTO m_1 (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_1, ix_2, data)
      SELECT n, 'n-' || n, gen_random_uuid(), 0, 1, 1, false, 'v1', '{}', '{}',
        CASE WHEN n % 2 = 0 THEN 'large' ELSE 'city-' || n END, CASE WHEN n <= 5 THEN 'rare' ELSE 'common' END, '{}'
      FROM generate_series(1, ${objects}) n;
      INSERT INTO m_1_l SELECT 'team', ix_2, id FROM m_1;
      INSERT INTO m_1_s3 SELECT ix_2, id FROM m_1;
      ANALYZE`)
    const catalog = createCatalog(pool)
    await catalog.open(people)
    table = catalog.find(people).table
    await client.query('SET plan_cache_mode = force_generic_plan')
  })
  afterAll(() => resources.disposeAsync())

  for (const { what, query } of pages) {
    test(`a generic one, of ${what}`, async () => {
      const { text, values, keepsPlan } = statementFor({ total: 'none', ...query, limit: 20 })
      expect(keepsPlan).toBe(true)
      await client.query(`PREPARE page AS ${text}`)
      try {
        const read = await rowsRead(values.map((value) => `'${String(value)}'`))
        expect(read).toBeLessThanOrEqual(2 * rowsOfPage)
      } finally {
        await client.query('DEALLOCATE page')
      }
    })
  }

  test('a query that could scan everything for a rare value has no generic plan', () => {
    expect(statementFor({ where: [by('age', 'rare')], limit: 20 }).keepsPlan).toBe(false)
  })

  test.each<readonly [what: string, anyOf: AnyOf['anyOf'], way: string, most: number]>([
    [
      'few candidates',
      [[by('city', 'city-1')], [by('city', 'large'), by('age', 'rare')], [team('none')]],
      'candidates',
      20,
    ],
    ['many candidates', [[by('city', 'large')], [team('common'), by('age', 'common')]], 'ordered scan', 3 * rowsOfPage],
  ])('one of alternatives with %s, by their indexes', async (_, anyOf, way, most) => {
    const query: ListQuery = { where: [{ anyOf }], limit: 20, total: way === 'candidates' ? 'bounded' : 'none' }
    const plan = await choosePlan({ pool, candidateLimit: defaultCandidateLimit }, table, query)
    expect(plan.way).toBe(way)
    const { text, values } = pageSql(table, query, { order: orderOf(table, query.sort), after: undefined, plan })
    const { rows } = await pool.query<Explained>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
    const root = rows[0]?.['QUERY PLAN'][0].Plan
    expect(rowsFrom(root)).toBeLessThanOrEqual(most)
    expect(JSON.stringify(root)).not.toContain('"Seq Scan"')
  })

  function statementFor(query: ListQuery) {
    const plan = obviousWay(table, query)
    if (!plan) throw new Error('this page is planned each time')
    return pageSql(table, query, { order: orderOf(table, query.sort), after: undefined, plan })
  }

  async function rowsRead(values: readonly string[]): Promise<number> {
    const { rows } = await client.query<Explained>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page (${values.join(', ')})`)
    return rowsFrom(rows[0]?.['QUERY PLAN'][0].Plan)
  }
})

interface Explained {
  readonly 'QUERY PLAN': [{ readonly Plan: PlanNode }]
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Rows read from the model's tables, including filtered rows. */
function rowsFrom(node: PlanNode | undefined): number {
  if (!node) return 0
  const of = node['Relation Name'] ?? node['Index Name'] ?? ''
  const own = of.startsWith('m_1')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsFrom(below), own)
}
