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
    ['no configured claim', undefined, { groups: ['staff'] }, []],
    ['a nested claim', '/realm/roles', { realm: { roles: ['staff'] } }, ['author', 'visitor']],
    ['a claim with a URL as name', 'https://a.example/g', { 'https://a.example/g': 'staff' }, ['author', 'visitor']],
    ['a member of Object.prototype by pointer', '/constructor/name', {}, []],
    ['a member of Object.prototype by name', 'constructor', {}, []],
  ]
for (const [what, rolesClaim, claims, expected] of cases) {
  test(what, () => {
    const provider = { roles, ...(rolesClaim !== undefined && { rolesClaim }) }
    expect(mappedRoles(provider, { ...claims })).toEqual(expected)
  })
}
