import { requestInfo, type Rule } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { createRoleBook, type HeldRoles, type RoleBook } from './role-book.ts'
import { origin, pathTo, type RoleDefinition } from './role-graph.ts'

/** A role with a rule on a resource of the same name, so that a match identifies the role. */
function role(name: string, more: Partial<RoleDefinition> = {}): RoleDefinition {
  const rules: Rule[] = [{ apiGroups: ['g.example'], resources: [name], verbs: ['list'] }]
  return { name, rules, dependencies: [], aggregatesTo: [], uiPermissions: [], ...more }
}

function bookOf(...roles: readonly RoleDefinition[]): RoleBook {
  return createRoleBook(roles, { pluginOf: () => undefined })
}

const list = (resource: string) => requestInfo({ method: 'GET', target: `/apis/g.example/v1/${resource}`, headers: {} })

/** The effective roles, each with its path: `edit > view (dependency)`. */
function ways(book: RoleBook, ...names: readonly string[]): readonly string[] {
  return book.effectiveRules(names).map(({ reached }) => {
    const steps = pathTo(reached).map(({ by, role: to }) => `${to} (${by})`)
    return [origin(reached), ...steps].join(' > ')
  })
}

describe('effective rules', () => {
  test('include own rules and, transitively, those of dependencies and aggregated roles', () => {
    const book = bookOf(
      role('author', { dependencies: ['edit'] }),
      role('edit', { dependencies: ['view'] }),
      role('view'),
      role('extra', { aggregatesTo: ['edit'], dependencies: ['far'] }),
      role('far'),
      role('other', { dependencies: ['author'] }),
    )
    expect(ways(book, 'author')).toEqual([
      'author',
      'author > edit (dependency)',
      'author > edit (dependency) > view (dependency)',
      'author > edit (dependency) > extra (aggregation)',
      'author > edit (dependency) > extra (aggregation) > far (dependency)',
    ])
  })

  test('are reached by the shortest path from any role of the set', () => {
    const book = bookOf(
      role('a', { dependencies: ['long', 'z'] }),
      role('long', { dependencies: ['longer'] }),
      role('longer', { dependencies: ['target'] }),
      role('z', { dependencies: ['target'] }),
      role('target'),
    )
    expect(ways(book, 'a').at(-1)).toBe('a > z (dependency) > target (dependency)')
    expect(ways(book, 'a', 'z')).toContain('z > target (dependency)')
    expect(ways(book, 'a', 'target')).toContain('target')
  })

  test('keep the index of each rule in its role', () => {
    const [first] = role('a').rules
    const book = bookOf(role('a', { rules: [first as Rule, first as Rule] }))
    expect(book.effectiveRules(['a']).map(({ index }) => index)).toEqual([0, 1])
  })

  test('of cyclic roles contain each role once', () => {
    const book = bookOf(
      role('a', { dependencies: ['b', 'a'] }),
      role('b', { dependencies: ['c'] }),
      role('c', { dependencies: ['a'], aggregatesTo: ['a', 'c'] }),
    )
    expect(ways(book, 'a')).toEqual(['a', 'a > b (dependency)', 'a > c (aggregation)'])
    expect(ways(book, 'b')).toHaveLength(3)
  })

  test('ignore a missing dependency and report it', () => {
    const book = bookOf(role('a', { dependencies: ['gone', 'b'] }), role('b', { dependencies: ['gone'] }))
    expect(ways(book, 'a')).toEqual(['a', 'a > b (dependency)'])
    expect(book.missing).toEqual([
      { role: 'a', dependency: 'gone' },
      { role: 'b', dependency: 'gone' },
    ])
  })

  test('are not inherited through a role that does not exist', () => {
    const extra = role('extra', { aggregatesTo: ['later'] })
    const early = bookOf(extra, role('a', { dependencies: ['later'] }))
    expect(ways(early, 'a', 'later')).toEqual(['a'])
    expect(early.missing).toEqual([{ role: 'a', dependency: 'later' }])
    expect(ways(bookOf(extra, role('later')), 'later')).toEqual(['later', 'later > extra (aggregation)'])
  })
})

describe('a book', () => {
  test('lists the roles that contain a role, nearest first', () => {
    const book = bookOf(
      role('view', { aggregatesTo: ['visitor', 'nobody'] }),
      role('manage', { dependencies: ['view'] }),
      role('visitor'),
      role('admin', { dependencies: ['manage', 'view'] }),
      role('owner', { dependencies: ['admin', 'owner'] }),
      role('apart'),
    )
    expect(book.heldThrough(['view'])).toEqual(['view', 'manage', 'admin', 'visitor', 'owner'])
  })

  test('collects UI permissions in the same way', () => {
    const book = bookOf(
      role('manage', { uiPermissions: ['plugin:todo:manage', 'plugin:todo:view'], dependencies: ['view'] }),
      role('view', { uiPermissions: ['plugin:todo:view'] }),
      role('export', { uiPermissions: ['plugin:todo:export'], aggregatesTo: ['manage'] }),
    )
    expect(book.uiPermissions(['manage'])).toEqual(['plugin:todo:export', 'plugin:todo:manage', 'plugin:todo:view'])
    expect(book.uiPermissions(['view', 'gone'])).toEqual(['plugin:todo:view'])
  })

  test('finds the rule with the shortest path, in any order of the set', () => {
    const book = bookOf(role('a', { dependencies: ['b'] }), role('b', { dependencies: ['c'] }), role('c'))
    for (const names of [
      ['a', 'b'],
      ['b', 'a', 'b', 'gone'],
    ]) {
      const found = book.hold(names.map((name) => ({ name }))).find(list('c'))
      expect(found && origin(found.reached)).toBe('b')
    }
  })

  test('decides correctly when more sets of roles are used than the cache holds', () => {
    const names = Array.from({ length: 46 }, (_, at) => `role-${at}`)
    const book = bookOf(...names.map((name) => role(name)))
    const held = names.flatMap((one) => names.map((two) => book.hold([{ name: one }, { name: two }])))
    const isRight = ({ roles, ...one }: HeldRoles) =>
      roles.every(({ name }) => one.find(list(name)) !== undefined) && one.find(list('roles')) === undefined
    expect([...held, ...held].filter((one) => !isRight(one))).toEqual([])
  })
})
