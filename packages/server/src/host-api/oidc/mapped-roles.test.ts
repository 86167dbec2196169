import { expect, test } from 'vitest'
import { mappedRoles } from './mapped-roles.ts'

const roles = new Map([
  ['editors', ['author', 'contributor']],
  ['staff', ['visitor', 'author']],
])

const cases: readonly (readonly [what: string, rolesClaim: string | undefined, claims: object, expected: string[]])[] =
  [
    ['a list of values', 'groups', { groups: ['staff', 'editors'] }, ['author', 'contributor', 'visitor']],
    ['one value', 'groups', { groups: 'staff' }, ['author', 'visitor']],
    ['values that are not mapped', 'groups', { groups: ['super-administrator', 'Staff', ''] }, []],
    ['values of other types', 'groups', { groups: [1, null, { staff: true }, ['staff']] }, []],
    ['no such claim', 'groups', {}, []],
    ['no claim to look at', undefined, { groups: ['staff'] }, []],
    ['a claim that lies deeper', '/realm/roles', { realm: { roles: ['staff'] } }, ['author', 'visitor']],
    [
      'a claim with a dot or an address for a name',
      'https://a.example/g',
      { 'https://a.example/g': 'staff' },
      ['author', 'visitor'],
    ],
    ['what every object has', '/constructor/name', {}, []],
    ['what every object has, without a pointer', 'constructor', {}, []],
  ]
for (const [what, rolesClaim, claims, expected] of cases) {
  test(what, () => {
    const provider = { roles, ...(rolesClaim !== undefined && { rolesClaim }) }
    expect(mappedRoles(provider, { ...claims })).toEqual(expected)
  })
}
