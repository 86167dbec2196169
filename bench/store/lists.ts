import type { Pool } from 'pg'
import type { Condition, Cursor, ListQuery, ModelKey, Store, Term } from '../../packages/server/src/store/store.ts'
import { cityOf, numberKey, people } from './people.ts'

export interface ListBench {
  readonly name: string
  readonly ours: () => Promise<unknown>
  readonly hand?: () => Promise<unknown>
  /** A query shape that takes seconds with a naive statement. */
  readonly cliff?: boolean
}

const limit = 20
const eq = (value: string): Condition => ({ op: '=', value })
const field = (name: string, is: Condition): Term => ({ field: name, is })
const label = (name: string, is: Condition): Term => ({ label: name, is })
const by = (name: string, descending: boolean) => [{ field: name, descending }]

/** The list shapes, each as a page of 20 without a total, and with one. */
export function listBenches(store: Store, pool: Pool): readonly ListBench[] {
  let at = 0
  const city = () => cityOf(at++ * 31)
  const tag = () => `tag-${(at++ * 17) % 500}`
  const ours = (query: () => Partial<ListQuery>) => () => store.list(people, { limit, total: 'none', ...query() })
  const hand =
    (where: string, order: string, values: () => unknown[] = () => []) =>
    () =>
      pool.query(`SELECT name, uid, version, data FROM hand WHERE ${where} ORDER BY ${order} LIMIT 20`, values())
  return [
    { name: 'default sort', ours: ours(() => ({})), hand: hand('true', 'id DESC') },
    { name: 'default sort, with total', ours: ours(() => ({ total: 'bounded' })), hand: hand('true', 'id DESC') },
    {
      name: 'city = , sort age desc (composite)',
      ours: ours(() => ({ where: [field('city', eq(city()))], sort: by('age', true) })),
      hand: hand('city = $1', 'age DESC, id DESC', () => [city()]),
    },
    {
      name: 'city = , sort score desc (no composite)',
      ours: ours(() => ({ where: [field('city', eq(city()))], sort: by('score', true) })),
      hand: hand('city = $1', 'score DESC, id DESC', () => [city()]),
    },
    {
      name: 'label and city in (a, b)',
      ours: ours(() => ({
        where: [label('team', eq('team-1')), field('city', { op: 'in', values: [city(), city()] })],
      })),
      hand: hand(`team = 'team-1' AND city = ANY($1)`, 'id DESC', () => [[city(), city()]]),
    },
    {
      name: '!label, few match',
      ours: ours(() => ({ where: [label('tier', { op: 'not in', values: ['free'] })] })),
      hand: hand(`tier IS DISTINCT FROM 'free'`, 'id DESC'),
    },
    {
      name: '!label, most match',
      ours: ours(() => ({ where: [label('nothing', { op: 'absent' })] })),
      hand: hand('true', 'id DESC'),
    },
    {
      name: 'city !=',
      ours: ours(() => ({ where: [field('city', { op: 'not in', values: [city()] })] })),
      hand: hand('city IS DISTINCT FROM $1', 'id DESC', () => [city()]),
    },
    {
      name: 'tag =',
      ours: ours(() => ({ where: [field('tags', eq(tag()))] })),
      hand: hand('tags @> ARRAY[$1]', 'id DESC', () => [tag()]),
    },
    {
      name: 'city = , default sort',
      ours: ours(() => ({ where: [field('city', eq(city()))] })),
      hand: hand('city = $1', 'id DESC', () => [city()]),
    },
    {
      name: 'city = , default sort, with total',
      ours: ours(() => ({ where: [field('city', eq(city()))], total: 'bounded' })),
      hand: hand('city = $1', 'id DESC', () => [city()]),
    },
    {
      name: 'label that a third has',
      ours: ours(() => ({ where: [label('team', eq('team-2'))] })),
      hand: hand(`team = 'team-2'`, 'id DESC'),
    },
    {
      name: 'tag exists',
      ours: ours(() => ({ where: [field('tags', { op: 'present' })] })),
      hand: hand('cardinality(tags) > 0', 'id DESC'),
    },
    {
      name: 'tag in (a, b)',
      ours: ours(() => ({ where: [field('tags', { op: 'in', values: [tag(), tag()] })] })),
      hand: hand('tags && $1', 'id DESC', () => [[tag(), tag()]]),
    },
    {
      name: 'sort age asc, city desc',
      ours: ours(() => ({ sort: [...by('age', false), ...by('city', true)] })),
      hand: hand('true', 'age, city DESC, id DESC'),
    },
    { name: 'sort age desc', ours: ours(() => ({ sort: by('age', true) })), hand: hand('true', 'age DESC, id DESC') },
    {
      name: 'label, sort age',
      ours: ours(() => ({ where: [label('team', eq('team-0'))], sort: by('age', false) })),
      hand: hand(`team = 'team-0'`, 'age, id'),
    },
    {
      name: 'page 5,000 by offset',
      ours: ours(() => ({ offset: 99_980 })),
      hand: () => pool.query('SELECT name, uid, version, data FROM hand ORDER BY id DESC LIMIT 20 OFFSET 99980'),
    },
    {
      name: 'email =',
      ours: ours(() => ({ where: [field('email', eq(`p${at++}@example.com`))] })),
      hand: hand('email = $1', 'id DESC', () => [`p${at++}@example.com`]),
    },
    {
      name: 'cliff: tag on the oldest objects only',
      cliff: true,
      ours: ours(() => ({ where: [field('tags', eq('oldest'))] })),
    },
    {
      name: 'cliff: filter with the opposite sort',
      cliff: true,
      ours: ours(() => ({ where: [field('city', eq('nowhere'))], sort: by('score', true) })),
    },
    {
      name: 'cliff: the same, two filters',
      cliff: true,
      ours: ours(() => ({
        where: [field('city', eq('nowhere')), field('age', { op: '>=', value: numberKey(0) })],
        sort: by('score', true),
      })),
    },
  ]
}

export interface GrowthBench {
  readonly name: string
  readonly page: (model: ModelKey) => Promise<unknown>
}

/** Pages whose cost must not depend on how many objects there are. */
export function growthBenches(store: Store): readonly GrowthBench[] {
  const list = (model: ModelKey, query: Partial<ListQuery>) => store.list(model, { limit: 20, total: 'none', ...query })
  const places = new Map<ModelKey, Cursor | undefined>()
  return [
    { name: 'default sort', page: (model) => list(model, {}) },
    { name: 'sort age desc', page: (model) => list(model, { sort: [{ field: 'age', descending: true }] }) },
    { name: 'tag =', page: (model) => list(model, { where: [{ field: 'tags', is: { op: '=', value: 'tag-7' } }] }) },
    {
      name: 'label that a third has',
      page: (model) => list(model, { where: [{ label: 'team', is: { op: '=', value: 'team-1' } }] }),
    },
    {
      name: 'one page after the other',
      page: async (model) => {
        const after = places.get(model)
        places.set(model, (await list(model, after === undefined ? {} : { after })).next)
      },
    },
  ]
}
