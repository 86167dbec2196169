import { describe, expect, test } from 'vitest'
import {
  groupFault,
  kindFault,
  pluginNameFault,
  reservedGroupFault,
  resourceNameFault,
  versionFault,
} from './definition-names.ts'
import { audienceGroup, isAudienceGroup } from './plugin-definition.ts'

const group63 = `${'a'.repeat(63)}.example`
const cases: readonly (readonly [
  what: string,
  fault: (name: string) => string | undefined,
  good: readonly string[],
  bad: readonly string[],
])[] = [
  [
    'a group',
    groupFault,
    ['todo.example.com', 'a.b', 'x-1.example', group63],
    ['example', '', 'A.b', 'a..b', '-a.b', `a${group63}`],
  ],
  ['a group of a plugin', reservedGroupFault, ['run.example', 'myplatform.run'], ['platform.run', 'x.y.platform.run']],
  ['a version', versionFault, ['v1', 'v2beta1', 'v12alpha34'], ['1', 'v0', 'v1gamma1', 'v1alpha', 'v1alpha0', 'V1']],
  ['a kind', kindFault, ['Todo', 'T2'], ['todo', 'To-do', '', `T${'o'.repeat(63)}`]],
  ['a singular or plural', resourceNameFault, ['todos', 't2'], ['Todos', '2t', 'to-dos', '', 't'.repeat(64)]],
  [
    'a plugin',
    pluginNameFault,
    ['todo', 'a-b', 'abc', 'a'.repeat(40)],
    ['ab', 'a'.repeat(41), '1ab', 'ab-', 'Todo', 'a_b'],
  ],
]

describe.each(cases)('%s', (_, fault, good, bad) => {
  test.each(good)('may be called "%s"', (name) => expect(fault(name)).toBeUndefined())
  test.each(bad)('may not be called "%s"', (name) => expect(fault(name)).toMatch(/^(must|is) /))
})

describe('the API group of an audience', () => {
  test('is derived from the group of the plugin', () => {
    const groups = (['console', 'uc', 'public'] as const).map((audience) => audienceGroup(audience, 'todo.example.com'))
    expect(groups).toEqual(['console.api.todo.example.com', 'uc.api.todo.example.com', 'api.todo.example.com'])
    expect(groups.every(isAudienceGroup)).toBe(true)
  })

  test.each(['todo.example.com', 'apis.example.com', 'my.api.example.com', 'console.example.com'])(
    'is not %s',
    (group) => expect(isAudienceGroup(group)).toBe(false),
  )
})
