import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditDirectory, linesOf } from './audit-lines.ts'
import { batches, createIn, deleteIn, on, pointers, results, type Operation } from './batches.ts'
import { freshName, mergePatch, thing } from './collection.ts'
import {
  bind,
  bindingOf,
  core,
  createRole,
  expectSoon,
  onlyAdministrator,
  person,
  roleOf,
  type Person,
} from './people.ts'
import { expectProblem, expectStatus, type RequestOptions } from './request.ts'
import { onEachEngine } from './server.ts'

const file = join(auditDirectory(), 'audit.log')

onEachEngine(
  (api) => {
    const send = (operations: readonly unknown[], options?: RequestOptions) =>
      api.request('POST', batches, { body: { operations }, ...options })
    const sendAs = (who: Person, operations: readonly unknown[]) =>
      who.request('POST', batches, { body: { operations } })
    const model = () => api.model()

    describe('who may:', () => {
      test('C2-111 C2-112 everybody signed in may send one, and needs the right for each operation', async () => {
        const [things, others] = [await model(), await model()]
        const { group, plural } = things.spec
        const rules = [{ apiGroups: [group], resources: [plural], verbs: ['create'] }]
        const who = await person(api, { roles: [await createRole(api, { rules })] })
        expectProblem(await send([on(things).create()], { as: 'anonymous' }), 401, 'Unauthenticated')
        results(await sendAs(who, [on(things).create(thing({ name: 'a' }))]))
        const denied = [
          on(others).create(),
          on(things).delete('a'),
          { ...on(things).patch('a', {}), subresource: 'status' },
          deleteIn('users', 'x'),
        ]
        for (const operation of denied) {
          const answer = await sendAs(who, [on(things).create(), operation, on(things).create()])
          expectProblem(answer, 403, 'Forbidden')
          expect(pointers(answer)).toEqual(['/operations/1'])
        }
        expect(await things.names()).toEqual(['a'])
      })

      test('C2-112 resourceNames count for operations', async () => {
        const things = await model()
        for (const name of ['mine', 'other']) await things.created({ name })
        const { group, plural } = things.spec
        const rules = [{ apiGroups: [group], resources: [plural], resourceNames: ['mine'], verbs: ['patch'] }]
        const who = await person(api, { roles: [await createRole(api, { rules })] })
        const note = (name: string) => on(things).patch(name, { spec: { note: 'n' } })
        results(await sendAs(who, [note('mine')]))
        expectProblem(await sendAs(who, [note('mine'), note('other')]), 403, 'Forbidden')
      })

      test('C2-112 the holder of a unique value is named to those who may get it', async () => {
        const things = await model()
        await things.created({ name: 'holder', spec: { code: 'c' } })
        const { group, plural } = things.spec
        const rule = { apiGroups: [group], resources: [plural], verbs: ['create'] }
        const who = await person(api, { roles: [await createRole(api, { rules: [rule] })] })
        const operations = [on(things).create(thing({ spec: { code: 'c' } }))]
        expect((await send(operations)).text).toContain('holder')
        const hidden = await sendAs(who, operations)
        expectProblem(hidden, 409, 'DuplicateIndexValue')
        expect(hidden.text).not.toContain('holder')
      })

      test('C2-113 nobody grants more than they hold, in any number of operations', async () => {
        const rules = [{ apiGroups: [''], resources: ['roles', 'rolebindings', 'users'], verbs: ['*'] }]
        const eve = await person(api, { roles: [await createRole(api, { rules })] })
        const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
        const [empty, name] = [await createRole(api, {}), freshName()]
        const refused: readonly (readonly [operations: readonly Operation[], at: number])[] = [
          [[createIn('roles', roleOf(name, { rules })), createIn('roles', roleOf(freshName(), { rules: all }))], 1],
          [[createIn('rolebindings', bindingOf('super-administrator', [eve.name]))], 0],
          // Each alone adds nothing; together the second would have the rights of the first.
          [
            [
              createIn('roles', roleOf(name, { rules })),
              createIn('roles', roleOf(freshName(), { rules: all, aggregatesTo: [name] })),
            ],
            1,
          ],
          [
            [
              createIn('rolebindings', bindingOf(empty, [eve.name])),
              { ...createIn('roles', {}), verb: 'patch', name: empty, patchType: mergePatch, object: { rules: all } },
            ],
            1,
          ],
          [[deleteIn('users', 'admin')], 0],
        ]
        for (const [operations, at] of refused) {
          const answer = await sendAs(eve, operations)
          expectProblem(answer, 403, 'EscalationForbidden')
          expect(pointers(answer)).toEqual([`/operations/${at}`])
        }
        expectProblem(await api.request('GET', `${core}/roles/${name}`), 404, 'NotFound')
        results(
          await sendAs(eve, [
            createIn('roles', roleOf(name, { rules })),
            createIn('rolebindings', bindingOf(name, [eve.name])),
          ]),
        )
      })

      test('C2-113 rights are compared with what the operations before leave', async () => {
        const rules = [{ apiGroups: [''], resources: ['roles', 'rolebindings'], verbs: ['*'] }]
        const eve = await person(api, { roles: [await createRole(api, { rules })] })
        const strong = await createRole(api, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] })
        const target = freshName()
        const labels = { [`rbac.authorization.platform.run/aggregate-to-${target}`]: 'true' }
        const aggregate = {
          ...deleteIn('roles', strong),
          verb: 'patch',
          patchType: mergePatch,
          object: { metadata: { labels } },
        }
        const bound = [createIn('roles', roleOf(target, {})), createIn('rolebindings', bindingOf(target, [eve.name]))]
        results(
          await api.request('POST', `${batches}?dryRun=true`, { token: eve.token, body: { operations: [aggregate] } }),
        )
        results(await api.request('POST', `${batches}?dryRun=true`, { token: eve.token, body: { operations: bound } }))
        const answer = await sendAs(eve, [aggregate, ...bound])
        expectProblem(answer, 403, 'EscalationForbidden')
        expect(pointers(answer)).toEqual(['/operations/1'])
      })

      test('C2-127 each operation has its own audit line', async () => {
        const things = await model()
        const { group, plural } = things.spec
        const rules = [{ apiGroups: [group], resources: [plural], verbs: ['create'] }]
        const role = await createRole(api, { rules })
        const who = await person(api, { roles: [role] })
        const done = await sendAs(who, [
          on(things).create(thing({ name: 'a' })),
          on(things).create({ metadata: { generateName: 'g-' }, spec: { city: 'x' } }),
        ])
        const made = results(done)[1]?.metadata.name
        const own = { user: who.name, verb: 'create', group, resource: plural }
        expect(await linesOf(file, done)).toMatchObject([
          {
            user: who.name,
            verb: 'create',
            resource: 'batches',
            decision: 'allowed',
            by: 'authenticated',
            status: 200,
          },
          { ...own, name: 'a', decision: 'allowed', by: role, status: 200 },
          { ...own, name: made, decision: 'allowed', by: role, status: 200 },
        ])
        const denied = await sendAs(who, [on(things).create(thing({ name: 'b' })), on(things).delete('a')])
        const lines = await linesOf(file, denied)
        expect(lines).toMatchObject([
          { resource: 'batches', decision: 'denied', reason: 'Forbidden', status: 403 },
          { ...own, name: 'b', decision: 'allowed', by: role, status: 403 },
          { ...own, verb: 'delete', name: 'a', decision: 'denied', reason: 'Forbidden', status: 403 },
        ])
        expect(lines[1]).not.toHaveProperty('reason')
        const failed = await sendAs(who, [
          on(things).create(thing({ name: 'c' })),
          on(things).create(thing({ name: 'a' })),
        ])
        expect(await linesOf(file, failed)).toMatchObject([
          { resource: 'batches', decision: 'allowed', reason: 'AlreadyExists', status: 409 },
          { name: 'c', decision: 'allowed', status: 409 },
          { name: 'a', decision: 'allowed', reason: 'AlreadyExists', status: 409 },
        ])
      })
    })

    describe('what the operations before leave:', () => {
      test('C2-121 a user, a role and a binding of both are created together', async () => {
        const [user, role, binding] = [freshName(), freshName(), freshName()]
        results(
          await send([
            createIn('users', { metadata: { name: user } }),
            createIn('roles', roleOf(role, {})),
            createIn('rolebindings', bindingOf(role, [user], { name: binding })),
          ]),
        )
        const operations = [deleteIn('rolebindings', binding), deleteIn('roles', role), deleteIn('users', user)]
        const wrong = await send([operations[1], operations[0]])
        expectProblem(wrong, 409, 'InUse')
        expect(pointers(wrong)).toEqual(['/operations/0'])
        results(await send(operations))
        for (const [resource, name] of [
          ['users', user],
          ['roles', role],
          ['rolebindings', binding],
        ]) {
          expectProblem(await api.request('GET', `${core}/${resource}/${name}`), 404, 'NotFound')
        }
      })

      test('C2-122 a role that an operation deletes cannot be bound by a later one', async () => {
        const role = await createRole(api, {})
        const answer = await send([deleteIn('roles', role), createIn('rolebindings', bindingOf(role, ['admin']))])
        expectProblem(answer, 422, 'Invalid')
        expect(pointers(answer)).toEqual(['/operations/1/object/roleRef/name'])
        const bound = await createRole(api, {})
        const other = await send([createIn('rolebindings', bindingOf(bound, ['admin'])), deleteIn('roles', bound)])
        expectProblem(other, 409, 'InUse')
        expect(pointers(other)).toEqual(['/operations/1'])
      })

      test('C2-122 users that share a binding are deleted together', async () => {
        const [one, two] = [await person(api), await person(api)]
        const role = await createRole(api, {})
        const [all, both] = [
          await bind(api, role, [one.name, two.name, 'admin']),
          await bind(api, role, [one.name, two.name]),
        ]
        results(await send([deleteIn('users', one.name), deleteIn('users', two.name)]))
        const { body } = await api.request('GET', `${core}/rolebindings/${all}`)
        expect(body).toMatchObject({ subjects: [{ name: 'admin' }] })
        expectProblem(await api.request('GET', `${core}/rolebindings/${both}`), 404, 'NotFound')
        expectProblem(await one.request('GET', `${core}/users`), 401, 'Unauthenticated')
      })

      test('C2-123 the last super administrator stays', async () => {
        const other = await person(api)
        const only = await onlyAdministrator(api)
        const replaced = freshName()
        const operations = [
          createIn('rolebindings', bindingOf('super-administrator', [other.name], { name: replaced })),
          deleteIn('rolebindings', only.binding),
        ]
        try {
          const second = bindingOf('super-administrator', [other.name], { name: 'second' })
          results(await sendAs(only, [createIn('rolebindings', second)]))
          const both = await sendAs(only, [deleteIn('rolebindings', 'second'), deleteIn('rolebindings', only.binding)])
          expectProblem(both, 409, 'InUse')
          expect(pointers(both)).toEqual(['/operations/1'])
          results(await sendAs(only, [deleteIn('rolebindings', 'second')]))
          expectProblem(await sendAs(only, operations.toReversed()), 409, 'InUse')
          expect((await only.request('GET', `${core}/rolebindings/${replaced}`)).status).toBe(404)
          results(await sendAs(only, operations))
          const back = [
            createIn('rolebindings', bindingOf('super-administrator', [only.name], { name: only.binding })),
            deleteIn('rolebindings', replaced),
          ]
          await expectSoon(async () => expectStatus(await sendAs(other, back), 200))
          await expectSoon(async () => expectStatus(await only.request('GET', `${core}/users`), 200))
        } finally {
          await only.restore()
        }
      })
    })
  },
  { env: { PERGOLA_AUDIT_FILE: file } },
)
