import { roleKeys, type Role } from '@pergola/api'
import { expect, it } from 'vitest'
import { dependenciesOf, effectiveRules, rolesThrough, ruleTarget, withNeeded } from './role-words.ts'

const role = (name: string, needs: readonly string[] = [], labels: Readonly<Record<string, string>> = {}): Role =>
  ({
    metadata: { name, labels, annotations: { [roleKeys.dependencies]: JSON.stringify(needs) } },
    rules: [{ apiGroups: [''], resources: [name], verbs: ['get'] }],
  }) as unknown as Role

const view = role('view')
const manage = role('manage', ['view'])
const audit = role('audit', [], { [`${roleKeys.aggregateTo}manage`]: 'true' })
const all = [view, manage, audit]

it('the rules of a role come from itself, the roles it needs and those that add to it, each with its path', () => {
  const found = effectiveRules(manage, all).map(({ rule, path }) => [ruleTarget(rule), path])
  expect(found).toEqual([
    ['manage', []],
    ['view', ['view']],
    ['audit', ['audit']],
  ])
})

it('a role is held through those that need it and those it adds to', () => {
  const admin = role('admin', ['manage'])
  expect(rolesThrough('audit', [...all, admin])).toEqual(['audit', 'manage', 'admin'])
  expect(rolesThrough('admin', [...all, admin])).toEqual(['admin'])
})

it('roles that need each other end', () => {
  const [one, other] = [role('one', ['other']), role('other', ['one'])]
  expect(effectiveRules(one, [one, other])).toHaveLength(2)
})

it('a chosen role brings the roles that it needs, and names who needs them', () => {
  const admin = role('admin', ['manage'])
  expect([...withNeeded(new Set(['admin', 'manage']), [...all, admin])]).toEqual([
    ['manage', ['admin']],
    ['view', ['manage']],
  ])
})

it('an annotation that is not JSON needs nothing', () => {
  const broken = { metadata: { name: 'broken', annotations: { [roleKeys.dependencies]: '[view' } } } as unknown as Role
  expect(dependenciesOf(broken)).toEqual([])
})

it.each([
  [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }, '/metrics'],
  [{ apiGroups: [''], resources: ['users'], resourceNames: ['ann'], verbs: ['get'] }, 'users "ann"'],
  [{ apiGroups: ['shop'], resources: ['orders', 'items'], verbs: ['*'] }, 'orders, items · shop'],
])('names the target of a rule: %j', (rule, target) => {
  expect(ruleTarget(rule)).toBe(target)
})
