import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { people } from '../contract/fixture.ts'
import type { AnyOf, ListQuery, Term } from '../store.ts'
import { createCatalog } from './catalog.ts'
import { pageStatements } from './list.ts'
import { orderOf, type ListPosition } from '../list-order.ts'
import type { Way } from '../list-selection.ts'
import { migrate } from './migrate.ts'

interface Case {
  readonly what: string
  readonly query?: Partial<ListQuery>
  readonly place?: ListPosition
  readonly plan?: Way
}

const ordered: Way = { way: 'ordered scan' }
const inCity: Term = { field: 'city', is: { op: '=', value: 'x' } }
const inTeam: Term = { label: 'team', is: { op: '=', value: 'x' } }
const tagged: Term = { field: 'tags', is: { op: '=', value: 'x' } }
const taggedEither: Term = { field: 'tags', is: { op: 'in', values: ['x', 'y'] } }
const byCity = [{ field: 'city', descending: true }]
const byEmail = [{ field: 'email', descending: false }]
const byAge = [{ field: 'age', descending: true }]
const byDeletion = [{ field: 'metadata.deletionTimestamp', descending: true }]

const searches: readonly Case[] = [
  { what: 'a further page of the newest', place: ['7'] },
  { what: 'a further page by an index', query: { sort: byCity }, place: ['x', '7'] },
  { what: 'a further page by an index, among those without a value', query: { sort: byCity }, place: [null, '7'] },
  { what: 'a further page by a unique index', query: { sort: byEmail }, place: [null, '7'] },
  { what: 'a further page by name', query: { sort: [{ field: 'metadata.name', descending: false }] }, place: ['x'] },
  { what: 'a further page of the deleted', query: { sort: byDeletion }, place: ['5', '7'] },
  { what: 'an equality', query: { where: [inCity] }, plan: { way: 'along the index', term: inCity } },
  { what: 'an equality, a further page', place: ['7'], plan: { way: 'along the index', term: inCity } },
  { what: 'a label, a further page', place: ['7'], plan: { way: 'along the index', term: inTeam } },
  { what: 'a value of a set, a further page', place: ['7'], plan: { way: 'along the index', term: tagged } },
  {
    what: 'a composite, a further page',
    query: { where: [inCity], sort: byAge },
    place: ['y', '7'],
    plan: { way: 'composite' },
  },
  {
    what: 'a label tested along the order, a further page',
    query: { where: [inTeam], sort: byCity },
    place: ['x', '7'],
  },
]

test.for(searches)('each range of $what is an index search in order, without scan or sort', (one) => {
  for (const steps of explain(one)) {
    // There is no index entry without a deletion time: those rows are read from the table in its own order.
    if (one.query?.sort === byDeletion && steps[0] === 'SCAN o') continue
    expect(steps.filter((step) => /^SCAN|^USE TEMP B-TREE/.test(step))).toEqual([])
  }
})

test('along the sort order, other terms are only tested, because SQLite would take any equality as selective and sort', () => {
  expect(explain({ what: '', query: { where: [inCity], sort: byAge } })).toEqual([['SCAN o USING INDEX m_1_2']])
})

test('for several values, the first entries of each are searched in order, and only they are sorted', () => {
  const [steps = []] = explain({ what: '', place: ['7'], plan: { way: 'along the index', term: taggedEither } })
  const entries = 'SEARCH m_1_s4 USING PRIMARY KEY (value=? AND id<?)'
  expect(steps.filter((step) => /m_1/.test(step))).toEqual([entries, entries])
  // A sort of the entries themselves would come before the union.
  expect(steps[steps.indexOf(entries) + 1]).toMatch(/^SCAN \(subquery/)
})

test('candidates are the outer loop, objects are looked up in the inner loop', () => {
  const query = { where: [inCity, inTeam], sort: byAge }
  expect(explain({ what: '', query, plan: { way: 'candidates', term: inTeam }, place: ['y', '7'] })).toEqual([
    [
      'SEARCH m_1_l USING PRIMARY KEY (key=? AND value=?)',
      'SEARCH o USING INTEGER PRIMARY KEY (rowid=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
  ])
})

test('candidates of alternatives are read from their indexes', () => {
  const anyOf: AnyOf = { anyOf: [[inCity], [inTeam]] }
  const [steps = []] = explain({
    what: '',
    query: { where: [anyOf], sort: byAge },
    plan: { way: 'candidates', term: anyOf },
  })
  expect(steps.filter((step) => /m_1| o /.test(step))).toEqual([
    'SEARCH o USING COVERING INDEX m_1_1 (ix_1=?)',
    'SEARCH m_1_l USING PRIMARY KEY (key=? AND value=?)',
    'SEARCH o USING INTEGER PRIMARY KEY (rowid=?)',
  ])
})

/** The query plan of each statement. */
function explain({ query, place, plan = ordered }: Case): readonly (readonly string[])[] {
  using database = openDatabase()
  const catalog = createCatalog(database.connection)
  catalog.open(people)
  const { table } = catalog.find(people)
  const order = orderOf(table, query?.sort)
  const { texts, values } = pageStatements(table, { limit: 9, ...query }, { order, place, plan })
  return texts.map((text) => {
    const statement = database.connection.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
    return statement.all({ ...values, limit: 9, offset: 0 }).map(({ detail }) => detail)
  })
}

function openDatabase(): Disposable & { readonly connection: SqliteDatabase.Database } {
  const connection = new SqliteDatabase(':memory:')
  migrate(connection)
  return { connection, [Symbol.dispose]: () => void connection.close() }
}
