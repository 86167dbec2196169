import { verbs, type RequestInfo, type ResourceRequest, type Rule, type Verb } from '@pergola/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EffectiveRule } from './compile-rules.ts'
import { createRoleBook } from './role-book.ts'
import { origin, pathTo, type RoleDefinition } from './role-graph.ts'
import { ruleMatches } from './rule-matches.ts'
import { missesOf } from './rule-misses.ts'
import { isUnderstood } from './understood-rule.ts'

/**
 * `CASES=<factor>` multiplies the cases of every property test; a million decisions are
 * `TEST_ENGINE=SQLite CASES=40 npx vitest run --project unit packages/server/src/access/decisions/role-book.property.test.ts`.
 */
const runs = 200 * Number(process.env['CASES'] ?? 1)
const setsPerPolicy = 3
const requestsPerSet = 50

const groups = ['', 'a.example', 'b.example', 'c.example']
/** The plugin of a.example is named like a resource, so that `todos/status` is ambiguous. */
const owners = new Map([
  ['a.example', 'todos'],
  ['b.example', 'plug'],
])
const plurals = ['todos', 'notes', 'status']
const subresources = ['status', 'notes']
const objectNames = ['milk', 'eggs', '-']
const commonVerbs: readonly Verb[] = ['get', 'list', 'delete']
const roleNames = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6']

const some = <T>(words: readonly T[], max = 2) => fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: max })
const verb = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...commonVerbs) }, fc.constantFrom(...verbs))
const ruleVerbs = fc.oneof({ weight: 5, arbitrary: fc.array(verb, { minLength: 1, maxLength: 4 }) }, fc.constant(['*']))
const parts = plurals.flatMap((plural) => subresources.map((subresource) => `${plural}/${subresource}`))
const prefixed = [...plurals, ...parts].flatMap((resource) => [`todos/${resource}`, `plug/${resource}`])
const resource = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...plurals) },
  { weight: 2, arbitrary: fc.constantFrom(...parts) },
  { weight: 2, arbitrary: fc.constantFrom(...prefixed) },
  { weight: 1, arbitrary: fc.constantFrom('*', '/todos', 'todos/', 'plug/todos/status/x', '-') },
)
const resourceRule = fc.record(
  {
    apiGroups: fc.oneof({ weight: 4, arbitrary: some(groups) }, fc.constant(['*']), some([...groups, '*'])),
    resources: fc.array(resource, { minLength: 1, maxLength: 3 }),
    resourceNames: fc.oneof(some(objectNames), fc.constant([])),
    verbs: ruleVerbs,
  },
  { requiredKeys: ['apiGroups', 'resources', 'verbs'] },
)
const urls = [
  '*',
  '/*',
  '/',
  '/livez',
  '/files',
  '/files/*',
  '/files/a',
  '/files/a/*',
  '/files/a/b',
  'livez',
  'files/*',
]
const pathRule = fc.record({ nonResourceURLs: some(urls), verbs: ruleVerbs })
const rule: fc.Arbitrary<Rule> = fc.oneof({ weight: 4, arbitrary: resourceRule }, { weight: 1, arbitrary: pathRule })

/** Rules from a newer host, and invalid rules. */
const oddities: readonly object[] = [
  { verbs: [] },
  { verbs: ['get', 'list', 'approve'] },
  { verbs: 'get, list, delete' },
  { namespaces: ['one'] },
  { constructor: ['one'] },
  { apiGroups: ['*'], resources: ['*'], nonResourceURLs: ['*'] },
  { apiGroups: ['a.example', '*.example'] },
  { resources: ['todos', '*/status'] },
  { resources: ['todos', 'todos/*'] },
  { resourceNames: ['milk', '*'] },
  { resourceNames: null },
  { nonResourceURLs: ['/livez', '/fi*'] },
  { nonResourceURLs: ['/livez', '/files/*/a'] },
]
const oddRule = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(rule, fc.constantFrom(...oddities)).map(([one, oddity]) => ({ ...one, ...oddity })),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'get', [], {}) },
) as fc.Arbitrary<Rule>

const definition = (name: string): fc.Arbitrary<RoleDefinition> =>
  fc.record({
    name: fc.constant(name),
    rules: fc.array(fc.oneof({ weight: 6, arbitrary: rule }, oddRule), { maxLength: 4 }),
    dependencies: fc.oneof(fc.constant([]), some(roleNames)),
    aggregatesTo: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, some(roleNames)),
    uiPermissions: fc.constant([]),
  })
/** Some referenced roles do not exist. */
const policy = fc.subarray(roleNames, { minLength: 3 }).chain((names) => fc.tuple(...names.map(definition)))

const resourceRequest = fc
  .record(
    {
      group: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...groups) }, fc.constantFrom('d.example', '*')),
      resource: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...plurals) }, fc.constantFrom('plug', '*', '-')),
      name: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...objectNames) }, fc.constantFrom('*', 'other')),
      subresource: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...subresources) }, fc.constantFrom('todos', '*')),
      verb,
    },
    { requiredKeys: ['group', 'resource', 'verb'] },
  )
  .map((asked): ResourceRequest => ({ kind: 'resource', path: '', version: 'v1', ...asked }))
const requestPaths = [
  '/',
  '/livez',
  '/livez/x',
  '/files',
  '/files/a',
  '/files/a/b',
  '/files/b',
  '/filesystem',
  '/other',
]
const pathRequest: fc.Arbitrary<RequestInfo> = fc.record({
  kind: fc.constant('non-resource' as const),
  path: fc.constantFrom(...requestPaths),
  verb,
})
const request = fc.oneof({ weight: 4, arbitrary: resourceRequest }, { weight: 1, arbitrary: pathRequest })
/** Most requests match a rule of the policy, or differ from it in one part. */
const aim = fc.record({
  request,
  rule: fc.option(fc.nat(30), { freq: 5 }),
  but: fc.constantFrom(
    'nothing',
    'nothing',
    'nothing',
    'nothing',
    'verb',
    'group',
    'resource',
    'subresource',
    'name',
    'path',
  ),
})

const cases = fc.record({
  roles: policy,
  sets: fc.array(fc.subarray(roleNames, { minLength: 1, maxLength: 4 }), {
    minLength: setsPerPolicy,
    maxLength: setsPerPolicy,
  }),
  aims: fc.array(aim, { minLength: requestsPerSet, maxLength: requestsPerSet }),
  /** Limits with which no, some or all rules are compiled. */
  maxCellsOfSet: fc.constantFrom(0, 8, 50_000),
})

test('compiled roles decide like a naive evaluation of every rule', () => {
  const count = { decisions: 0, allowed: 0, nearMisses: 0 }
  fc.assert(
    fc.property(cases, ({ roles, sets, aims, maxCellsOfSet }) => {
      const requests = aims.map((one) => aimed(one, roles))
      const book = createRoleBook(roles, { pluginOf: (group) => owners.get(group), maxCellsOfSet })
      for (const names of sets) {
        const held = book.hold(names.map((name) => ({ name })))
        const distances = distancesFrom(names, roles)
        for (const asked of requests) {
          const expected = naiveDistance(roles, distances, asked)
          const found = held.find(asked)
          expectSame(found, expected, { roles, names, asked })
          count.decisions++
          if (found) count.allowed++
          else if (isNearMiss(roles, distances, asked)) count.nearMisses++
        }
      }
    }),
    { numRuns: runs },
  )
  expect(count.decisions).toBe(runs * setsPerPolicy * requestsPerSet)
  expect(count.allowed / count.decisions).toBeGreaterThan(0.2)
  expect(count.nearMisses / count.decisions).toBeGreaterThan(0.2)
})

type Aim = typeof aim extends fc.Arbitrary<infer T> ? T : never

function aimed({ request: random, rule: at, but }: Aim, roles: readonly RoleDefinition[]): RequestInfo {
  const rules = roles.flatMap((one) => one.rules).filter((one) => typeof one === 'object' && one !== null)
  const target = at === null ? undefined : (rules[at % rules.length] as Partial<Record<string, unknown>> | undefined)
  if (!target) return random
  const part = (field: string, name: string) => (but === name ? undefined : firstWord(target[field]))
  const wanted = { verb: (part('verbs', 'verb') as Verb | undefined) ?? random.verb }
  if ('nonResourceURLs' in target) {
    const path = part('nonResourceURLs', 'path')?.replace('*', 'a')
    return { kind: 'non-resource', path: path ?? (random.path || '/livez'), ...wanted }
  }
  const base = random.kind === 'resource' ? random : { group: '', resource: 'todos' }
  const group = part('apiGroups', 'group') ?? base.group
  const words = part('resources', 'resource')?.split('/') ?? []
  if (words[0] === owners.get(group)) words.shift()
  const [plural = base.resource, subresource = but === 'subresource' ? 'status' : undefined] = words
  const name = part('resourceNames', 'name') ?? ('name' in base ? base.name : undefined)
  const optional = { ...(name !== undefined && { name }), ...(subresource !== undefined && { subresource }) }
  return { kind: 'resource', path: '', version: 'v1', group, resource: plural, ...optional, ...wanted }
}

function firstWord(words: unknown): string | undefined {
  return Array.isArray(words) ? words.find((word): word is string => word !== '*') : undefined
}

type Distances = ReadonlyMap<string, number>

interface Asked {
  readonly roles: readonly RoleDefinition[]
  readonly names: readonly string[]
  readonly asked: RequestInfo
}

/** Distance to each reachable role, by breadth-first search. */
function distancesFrom(names: readonly string[], roles: readonly RoleDefinition[]): Distances {
  const known = new Map(roles.filter(({ name }) => names.includes(name)).map(({ name }) => [name, 0]))
  for (let steps = 1; steps <= roles.length; steps++) {
    const reached = roles.filter(
      (to) => !known.has(to.name) && roles.some((from) => known.get(from.name) === steps - 1 && hasRightsOf(from, to)),
    )
    for (const { name } of reached) known.set(name, steps)
  }
  return known
}

function hasRightsOf(from: RoleDefinition, to: RoleDefinition): boolean {
  return from.dependencies.includes(to.name) || to.aggregatesTo.includes(from.name)
}

/** Distance to the nearest role with a rule that allows the request; infinite if there is none. */
function naiveDistance(roles: readonly RoleDefinition[], distances: Distances, asked: RequestInfo): number {
  const plugin = pluginOf(asked)
  const allowing = roles.filter(({ rules }) => rules.some((one) => ruleMatches(one, asked, plugin)))
  return Math.min(...allowing.map(({ name }) => distances.get(name) ?? Infinity))
}

/** An effective rule that misses the request by one part. */
function isNearMiss(roles: readonly RoleDefinition[], distances: Distances, asked: RequestInfo): boolean {
  const counting = roles.filter(({ name }) => distances.has(name)).flatMap(({ rules }) => rules)
  return counting.some(
    (one) => isUnderstood(one) && missesOf(one, asked, (group) => owners.get(group))?.misses.length === 1,
  )
}

function expectSame(found: EffectiveRule | undefined, distance: number, { roles, names, asked }: Asked): void {
  if (!found) {
    if (distance < Infinity) expect.fail('denied, where a rule allows it')
    return
  }
  const path = pathTo(found.reached)
  const way = [origin(found.reached), ...path.map(({ role }) => role)].map(
    (name) => roles.find((role) => role.name === name) ?? expect.fail(`a way through ${name}, which does not exist`),
  )
  const [first, last] = [way[0], way.at(-1)]
  const isWay = path.every(({ by }, at) => {
    const [from, to] = [way[at] as RoleDefinition, way[at + 1] as RoleDefinition]
    return by === 'dependency' ? from.dependencies.includes(to.name) : to.aggregatesTo.includes(from.name)
  })
  if (!ruleMatches(found.rule, asked, pluginOf(asked))) expect.fail('allowed by a rule that does not match')
  if (last?.rules[found.index] !== found.rule) expect.fail('allowed by a rule that is not there')
  if (!names.includes(first?.name ?? '') || !isWay) expect.fail('allowed by a way that is none')
  if (path.length !== distance) expect.fail(`allowed by ${path.length} steps, where ${distance} are enough`)
}

function pluginOf(asked: RequestInfo): string | undefined {
  return asked.kind === 'resource' ? owners.get(asked.group) : undefined
}
