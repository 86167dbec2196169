import type { Rule } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { createRulesCover } from './rules-cover.ts'

const todos: Rule = { apiGroups: ['g.example'], resources: ['todos'], verbs: ['get', 'list'] }
const everything: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
const files: Rule = { nonResourceURLs: ['/files/*'], verbs: ['get'] }

const cases: readonly (readonly [covered: boolean, what: string, wanted: Rule, held: readonly Rule[]])[] = [
  [true, 'the same rule', todos, [todos]],
  [true, 'a narrower rule', { ...todos, verbs: ['get'] }, [todos]],
  [false, 'another verb', { ...todos, verbs: ['get', 'delete'] }, [todos]],
  [false, 'every verb', { ...todos, verbs: ['*'] }, [todos]],
  [false, 'another group', { ...todos, apiGroups: ['g.example', 'h.example'] }, [todos]],
  [false, 'a sub-resource', { ...todos, resources: ['todos/status'] }, [todos]],
  [true, 'anything by wildcards', todos, [everything]],
  [true, 'wildcards by wildcards', everything, [everything]],
  [false, 'wildcards by all existing rules', everything, [todos, files]],
  [
    true,
    'a rule that several rules cover together',
    { ...todos, verbs: ['get', 'watch'] },
    [todos, { ...todos, verbs: ['watch'] }],
  ],
  [
    false,
    'a combination that no single rule covers',
    { ...todos, apiGroups: ['a', 'b'], resources: ['x', 'y'] },
    [
      { ...todos, apiGroups: ['a'], resources: ['x'] },
      { ...todos, apiGroups: ['b'], resources: ['y'] },
    ],
  ],
  [true, 'one object of a held resource', { ...todos, resourceNames: ['milk'] }, [todos]],
  [false, 'all objects, where one is held', todos, [{ ...todos, resourceNames: ['milk'] }]],
  [
    false,
    'two objects, where one is held',
    { ...todos, resourceNames: ['milk', 'eggs'] },
    [{ ...todos, resourceNames: ['milk'] }],
  ],
  [true, 'a path below', { nonResourceURLs: ['/files/a', '/files/b/*'], verbs: ['get'] }, [files]],
  [false, 'the prefix itself', { nonResourceURLs: ['/files'], verbs: ['get'] }, [files]],
  [
    false,
    'the root, where all below it is held',
    { nonResourceURLs: ['/'], verbs: ['get'] },
    [{ nonResourceURLs: ['/*'], verbs: ['get'] }],
  ],
  [false, 'a wider glob', { nonResourceURLs: ['/*'], verbs: ['get'] }, [files]],
  [false, 'every path', { nonResourceURLs: ['*'], verbs: ['get'] }, [{ nonResourceURLs: ['/*'], verbs: ['get'] }]],
  [false, 'a path by resource wildcards', files, [everything]],
  [true, 'an invalid rule, because it grants nothing', { ...todos, verbs: [] }, []],
  [false, 'anything by an invalid rule', todos, [{ ...everything, more: true } as Rule]],
  [true, 'the same resource with its plugin prefix', { ...todos, resources: ['todo/todos'] }, [todos]],
  [true, 'the same resource without its plugin prefix', todos, [{ ...todos, resources: ['todo/todos'] }]],
  [
    false,
    'a plugin prefix in a group without a plugin',
    { ...todos, apiGroups: ['x'], resources: ['todo/todos'] },
    [{ ...todos, apiGroups: ['x'] }],
  ],
]

describe('held rules', () => {
  const pluginOf = (group: string) => (group === 'g.example' ? 'todo' : undefined)
  for (const [covered, what, wanted, held] of cases) {
    test(`${covered ? 'cover' : 'do not cover'} ${what}`, () => {
      expect(createRulesCover(held, { pluginOf }).covers(wanted)).toBe(covered)
    })
  }

  test('are compared with each added rule once, not with each other', () => {
    const rules = Array.from({ length: 200 }, (_, at) => ({ ...todos, resources: [`r${at}`] }))
    const narrower = rules.map((rule): Rule => ({ ...rule, verbs: ['get'] }))
    const cover = createRulesCover(rules, { pluginOf })
    expect([...rules, ...narrower].every((rule) => cover.covers(rule))).toBe(true)
    expect(cover.comparisons).toBe(narrower.length)
  })

  test('use a bounded number of comparisons, also with repeated words', () => {
    const repeated: Rule = { ...todos, resources: Array.from({ length: 1_000 }, () => 'others') }
    const cover = createRulesCover(
      Array.from({ length: 200 }, () => todos),
      { pluginOf },
    )
    expect(Array.from({ length: 200 }, () => repeated).some((rule) => cover.covers(rule))).toBe(false)
    expect(cover.comparisons).toBeLessThanOrEqual(1_000)
    const wide: Rule = {
      ...todos,
      verbs: ['get', 'delete'],
      resourceNames: Array.from({ length: 1_000 }, (_, at) => `n${at}`),
    }
    const half = createRulesCover(
      [
        { ...wide, verbs: ['get'] },
        { ...wide, verbs: ['delete'] },
      ],
      {
        pluginOf,
        maxComparisons: 1_000,
      },
    )
    expect(half.covers(wide)).toBe(false)
    expect(half.isExhausted).toBe(true)
  })
})
