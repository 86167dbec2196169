import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ruleMatches } from '../../../server/src/access/decisions/rule-matches.ts'
import type { PluginDefinition } from '../plugin-definition.ts'
import { requestInfo } from '../request-info.ts'
import type { Rule } from '../rules.ts'
import { addedRights, rightsOf, type Right } from './rights.ts'

const runs = 500 * Number(process.env['CASES'] ?? 1)

const definition: PluginDefinition = {
  protocol: 1,
  name: 'plug',
  groups: ['own.org'],
  models: [],
  routes: [],
  apps: [],
  owned: [],
  roles: [],
  controllers: [],
  schedules: [],
  permissions: [],
}

const some = (...words: readonly string[]) => fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 })
const rule: fc.Arbitrary<Rule> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record(
      {
        apiGroups: some('', 'own.org', 'other.org', '*'),
        resources: some('a', 'a/s', 'plug/a', 'plug/a/s', '*'),
        resourceNames: fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }),
        verbs: some('get', 'list', 'create', '*'),
      },
      { requiredKeys: ['apiGroups', 'resources', 'verbs'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      nonResourceURLs: some('*', '/m', '/m/*', '/m/n', '/m/n/*'),
      verbs: some('get', 'create', '*'),
    }),
  },
)
const rules = fc.array(rule, { maxLength: 4 })

/** All requests that rules built from these words can distinguish. */
const requests = [
  ...['GET', 'POST', 'DELETE'].flatMap((method) =>
    ['/api/v1', '/apis/own.org/v1', '/apis/other.org/v1', '/apis/third.org/v1'].flatMap((base) =>
      ['/a', '/a/x', '/a/y', '/a/z', '/a/x/s', '/a/z/s', '/b', '/b/x'].map((path) => ({ method, target: base + path })),
    ),
  ),
  ...['GET', 'POST', 'DELETE'].flatMap((method) =>
    ['/m', '/m/n', '/m/n/o', '/k'].map((target) => ({ method, target })),
  ),
]

/** A rule that grants exactly this right. */
function ruleOf(right: Right): Rule {
  if ('url' in right) return { nonResourceURLs: [right.url], verbs: right.verbs }
  const { group, resource, names, verbs } = right
  return { apiGroups: [group], resources: [resource], ...(names.length > 0 && { resourceNames: names }), verbs }
}

const allowed = (granted: readonly Rule[]) =>
  requests
    .filter(({ method, target }) => {
      const info = requestInfo({ method, target, headers: {} })
      const owner = info.kind === 'resource' && info.group === 'own.org' ? 'plug' : undefined
      return granted.some((one) => ruleMatches(one, info, owner))
    })
    .map(({ method, target }) => `${method} ${target}`)

test("rights grant the same requests as their rules do under the host's evaluation", () => {
  const holds = fc.property(rules, (given) => {
    expect(allowed(rightsOf(given, definition).map(ruleOf))).toEqual(allowed(given))
  })
  fc.assert(holds, { numRuns: runs })
})

test('rights reported as new cover every newly granted request and nothing that the new rules do not grant', () => {
  const holds = fc.property(rules, rules, (before, after) => {
    const added = addedRights(rightsOf(before, definition), rightsOf(after, definition)).map(ruleOf)
    const [was, is, told] = [allowed(before), allowed(after), allowed(added)]
    expect(is.filter((request) => !was.includes(request) && !told.includes(request))).toEqual([])
    expect(told.filter((request) => !is.includes(request))).toEqual([])
  })
  fc.assert(holds, { numRuns: runs })
})
