import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { todoDefinition } from '../end-to-end/plugin-package.ts'
import { auditDirectory, linesOf } from './audit-lines.ts'
import { freshName, jsonPatch, mergePatch, thing, type Collection, type StoredThing } from './collection.ts'
import { modelObject, freshModel } from './models.ts'
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
import { install, phaseIs, todoGroup, todos } from './plugin.ts'
import { expectProblem, expectStatus, type Answer, type RequestOptions } from './request.ts'
import { onEachEngine, once, type Api } from './server.ts'

const batches = '/apis/api.platform.run/v1alpha1/batches'
const file = join(auditDirectory(), 'audit.log')
const variables = { KEY: randomBytes(32).toString('base64') }

type Operation = Readonly<Record<string, unknown>>

const inCore = { apiVersion: 'v1alpha1' }
const createIn = (resource: string, object: unknown): Operation => ({ verb: 'create', ...inCore, resource, object })
const deleteIn = (resource: string, name: string): Operation => ({ verb: 'delete', ...inCore, resource, name })

/** Operations on the objects of a model. */
function on({ spec: { group, plural, versions } }: Collection) {
  const target = { apiVersion: `${group}/${versions[0]?.name}`, resource: plural }
  return {
    create: (object: unknown = thing()): Operation => ({ verb: 'create', ...target, object }),
    update: (name: string, object: unknown): Operation => ({ verb: 'update', ...target, name, object }),
    patch: (name: string, object: unknown): Operation => ({
      verb: 'patch',
      ...target,
      name,
      object,
      patchType: Array.isArray(object) ? jsonPatch : mergePatch,
    }),
    delete: (name: string, metadata?: object): Operation => {
      return { verb: 'delete', ...target, name, ...(metadata && { object: { metadata } }) }
    },
  }
}

const pointers = ({ body }: Answer) =>
  ((body as { readonly errors?: readonly { readonly pointer: string }[] }).errors ?? []).map(({ pointer }) => pointer)
const results = (answer: Answer) => {
  expectStatus(answer, 200)
  return (answer.body as { readonly results: readonly StoredThing[] }).results
}

function declare(api: Api): void {
  const send = (operations: readonly unknown[], options?: RequestOptions, query = '') =>
    api.request('POST', `${batches}${query}`, { body: { operations }, ...options })
  const sendAs = (who: Person, operations: readonly unknown[]) => who.request('POST', batches, { body: { operations } })
  const model = () => api.model()

  describe('what a batch does:', () => {
    test('C2-106 C2-107 every verb, on several models, answered in order', async () => {
      const [things, others] = [await model(), await api.model({ statusSubresource: true })]
      const [a, b, c, d] = [
        await things.created(),
        await things.created(),
        await things.created(),
        await others.created(),
      ]
      const name = freshName()
      const answer = await send([
        on(things).delete(c.metadata.name),
        on(things).create(thing({ name })),
        on(things).update(a.metadata.name, thing({ name: a.metadata.name, spec: { note: 'put' } })),
        on(things).patch(b.metadata.name, { spec: { note: 'merged' } }),
        {
          ...on(others).patch(d.metadata.name, [{ op: 'add', path: '/status', value: { phase: 'p' } }]),
          subresource: 'status',
        },
        on(others).create({ metadata: { generateName: 'g-' }, spec: { city: 'Rome' } }),
      ])
      const found = results(answer)
      expect(found).toMatchObject([
        { metadata: { name: c.metadata.name, version: 1, deletionTimestamp: expect.any(String) as string } },
        { metadata: { name, version: 0 }, spec: { color: 'green' } },
        { metadata: { name: a.metadata.name, version: 1, generation: 2 }, spec: { note: 'put' } },
        { metadata: { name: b.metadata.name, version: 1 }, spec: { note: 'merged' } },
        { metadata: { name: d.metadata.name, version: 1, generation: 1 }, status: { phase: 'p' } },
        { kind: others.spec.kind, metadata: { name: expect.stringMatching(/^g-[a-z0-9]{8}$/) as string } },
      ])
      expectProblem(await things.get(c.metadata.name), 404, 'NotFound')
      for (const object of found.slice(1, 4)) expect(await things.read(object.metadata.name)).toEqual(object)
      for (const object of found.slice(4)) expect(await others.read(object.metadata.name)).toEqual(object)
    })

    test('C2-108 one operation that cannot be done stops all, first or last', async () => {
      const things = await model()
      const kept = await things.created({ spec: { code: 'taken' } })
      const { create, update, patch, delete: remove } = on(things)
      const faults: readonly (readonly [operation: Operation, status: number, reason: string])[] = [
        [create(thing({ name: 'new', spec: { age: -1 } })), 422, 'Invalid'],
        [create(thing({ name: 'new', spec: { code: 'taken' } })), 409, 'DuplicateIndexValue'],
        [create(thing({ name: kept.metadata.name })), 409, 'AlreadyExists'],
        [update('missing', thing({ name: 'missing' })), 404, 'NotFound'],
        [patch('missing', {}), 404, 'NotFound'],
        [remove('missing'), 404, 'NotFound'],
        [patch(kept.metadata.name, [{ op: 'test', path: '/spec/city', value: 'Paris' }]), 422, 'Invalid'],
        [{ ...create(), resource: 'nothings' }, 404, 'ModelNotFound'],
        [{ ...remove('x'), resource: 'users', ...inCore }, 404, 'NotFound'],
      ]
      for (const [fault, status, reason] of faults) {
        const others = [create(thing({ name: 'other' })), create(thing({ name: 'another' }))]
        for (const operations of [
          [fault, ...others],
          [...others, fault],
        ]) {
          const answer = await send(operations)
          expectProblem(answer, status, reason)
          expect(pointers(answer)[0]).toMatch(new RegExp(`^/operations/${operations.indexOf(fault)}(/|$)`))
          expect(await things.names()).toEqual([kept.metadata.name])
        }
      }
      expect(await things.read(kept.metadata.name)).toEqual(kept)
    })

    test('C2-109 1 to 100 operations', async () => {
      const things = await model()
      const many = (count: number) => Array.from({ length: count }, () => on(things).create())
      expectProblem(await send([]), 422, 'Invalid')
      expectProblem(await send(many(101)), 422, 'Invalid')
      expect((await things.listed()).total).toBe(0)
      expect(results(await send(many(100)))).toHaveLength(100)
      expect((await things.listed()).total).toBe(100)
    })

    test('C2-110 up to 8 MiB, of which each object takes the usual part', async () => {
      const things = await model()
      const note = (bytes: number) => on(things).create(thing({ spec: { note: 'x'.repeat(bytes) } }))
      expect(results(await send(Array.from({ length: 7 }, () => note(1_000_000))))).toHaveLength(7)
      const large = await send([note(1), note(1_100_000)])
      expectProblem(large, 413, 'PayloadTooLarge')
      expect(pointers(large)).toEqual(['/operations/1/object'])
      expectProblem(await send(Array.from({ length: 9 }, () => note(1_000_000))), 413, 'PayloadTooLarge')
    })

    test('C2-120 C2-108 a unique value is passed on in the order of the operations', async () => {
      const things = await model()
      const first = await things.created({ name: 'z', spec: { code: 'one' } })
      const { create, patch, delete: remove } = on(things)
      const wrong = await send([create(thing({ name: 'a', spec: { code: 'one' } })), remove(first.metadata.name)])
      expectProblem(wrong, 409, 'DuplicateIndexValue')
      expect(pointers(wrong)).toEqual(['/operations/0/object/spec/code'])
      results(await send([remove('z'), create(thing({ name: 'a', spec: { code: 'one' } }))]))
      await things.created({ name: 'm' })
      const away = patch('m', { spec: { code: 'one' } })
      expectProblem(await send([away, patch('a', { spec: { code: 'two' } })]), 409, 'DuplicateIndexValue')
      results(await send([patch('a', { spec: { code: 'two' } }), away]))
      expect((await things.read('m')).spec).toMatchObject({ code: 'one' })
      const same = await send([create(thing({ spec: { code: 'x' } })), create(thing({ spec: { code: 'x' } }))])
      expectProblem(same, 409, 'DuplicateIndexValue')
      expect(pointers(same)).toEqual(['/operations/1/object/spec/code'])
    })

    test('C2-126 with dryRun everything is checked and nothing is stored', async () => {
      const things = await model()
      const kept = await things.created({ spec: { code: 'held' } })
      const dry = (operations: readonly unknown[]) => send(operations, {}, '?dryRun=true')
      const operations = [on(things).create(thing({ name: 'dry' })), on(things).delete(kept.metadata.name)]
      expect(results(await dry(operations))).toMatchObject([
        { metadata: { name: 'dry', version: 0 } },
        { spec: { code: 'held' } },
      ])
      expect(await things.names()).toEqual([kept.metadata.name])
      expectProblem(await dry([on(things).create(thing({ spec: { code: 'held' } }))]), 409, 'DuplicateIndexValue')
      expectProblem(await api.request('POST', `${batches}?dryRun=maybe`, { body: { operations } }), 400, 'BadRequest')
    })

    test('C2-130 a watch gets each change once', async () => {
      const things = await model()
      const { metadata } = await things.created()
      using watching = await api.watch(things.path)
      results(
        await send([
          on(things).create(thing({ name: 'b' })),
          on(things).create(thing({ name: 'a' })),
          on(things).delete(metadata.name),
        ]),
      )
      expect((await watching.until(3)).toSorted()).toEqual(['ADDED a', 'ADDED b', `DELETED ${metadata.name}`])
      await things.created({ name: 'last' })
      expect(await watching.until(4)).toHaveLength(4)
    })
  })

  describe('how operations are stated:', () => {
    test('C2-116 an object appears once', async () => {
      const things = await model()
      const { metadata } = await things.created()
      const { create, patch, delete: remove } = on(things)
      const answer = await send([
        create(thing({ name: 'a' })),
        patch(metadata.name, {}),
        remove('a'),
        create(thing({ name: 'a' })),
      ])
      expectProblem(answer, 422, 'Invalid')
      expect(pointers(answer)).toEqual(['/operations/2/name', '/operations/3/object/metadata/name'])
      const status = { ...patch(metadata.name, {}), subresource: 'status' }
      expect(pointers(await send([patch(metadata.name, {}), status]))).toEqual(['/operations/1/name'])
    })

    test('C2-117 C2-118 each verb has its fields, and all errors are told together', async () => {
      const things = await model()
      const { create, update, patch, delete: remove } = on(things)
      const { patchType: _, ...untyped } = patch('a', {})
      const { object: __, ...empty } = create()
      const { name: ___, ...unnamed } = remove('b')
      const answer = await send([
        untyped,
        { ...update('c', thing()), patchType: mergePatch },
        { ...create(), name: 'd' },
        empty,
        unnamed,
        { ...remove('e'), subresource: 'status' },
        update('f', []),
      ])
      expectProblem(answer, 422, 'Invalid')
      expect(pointers(answer)).toEqual([
        '/operations/0/patchType',
        '/operations/1/patchType',
        '/operations/2/name',
        '/operations/3/object',
        '/operations/4/name',
        '/operations/5/subresource',
        '/operations/6/object',
      ])
      const worse = await send([
        { ...create(), verb: 'list' },
        { ...patch('a', {}), patchType: 'text/plain' },
        { ...create(), more: 1 },
      ])
      expectProblem(worse, 422, 'Invalid')
      expect(pointers(worse)).toEqual(['/operations/0/verb', '/operations/1/patchType', '/operations/2/more'])
    })

    test('C2-119 the first operation that fails is told, with all its errors', async () => {
      const things = await model()
      const wrong = () => on(things).create(thing({ spec: { age: -1, nick: 'x' } }))
      const answer = await send([on(things).create(), wrong(), wrong()])
      expectProblem(answer, 422, 'Invalid')
      expect(pointers(answer).toSorted()).toEqual(['/operations/1/object/spec/age', '/operations/1/object/spec/nick'])
      const other = await send([on(things).create({ ...thing(), kind: 'Other' })])
      expectProblem(other, 400, 'TypeMismatch')
      expect(pointers(other)).toEqual(['/operations/0/object/kind'])
    })

    test('C2-114 only models are addressed', async () => {
      const foreign: readonly Operation[] = [
        { verb: 'create', apiVersion: 'api.platform.run/v1alpha1', resource: 'batches', object: { operations: [] } },
        {
          verb: 'patch',
          apiVersion: 'api.platform.run/v1alpha1',
          resource: 'users',
          name: '-',
          patchType: mergePatch,
          object: {},
        },
        { verb: 'create', apiVersion: 'uc.api.platform.run/v1alpha1', resource: 'personalaccesstokens', object: {} },
        { verb: 'delete', apiVersion: 'auth', resource: 'sessions', name: '-' },
        { ...createIn('users', { metadata: { name: 'x' } }), apiVersion: 'v9' },
      ]
      for (const operation of foreign) {
        const answer = await send([operation])
        expectProblem(answer, 404, 'ModelNotFound')
        expect(pointers(answer)).toEqual(['/operations/0/resource'])
      }
    })

    test('C2-115 the status, where the model has it and clients may write it', async () => {
      const [things, plain] = [await api.model({ statusSubresource: true }), await model()]
      const [a, b] = [await things.created(), await plain.created()]
      const status = (operation: Operation) => ({ ...operation, subresource: 'status' })
      const [found] = results(
        await send([status(on(things).update(a.metadata.name, { ...a, status: { phase: 'p' }, spec: {} }))]),
      )
      expect(found).toMatchObject({ spec: a.spec, status: { phase: 'p' } })
      expectProblem(await send([status(on(plain).patch(b.metadata.name, { status: {} }))]), 404, 'NotFound')
      const role = { verb: 'patch', ...inCore, resource: 'roles', name: 'author', patchType: mergePatch, object: {} }
      expectProblem(await send([status(role)]), 404, 'NotFound')
      expectProblem(await send([{ ...role, subresource: 'other' }]), 422, 'Invalid')
    })
  })

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

    test('C2-113 nobody hands out more than they hold, in however many operations', async () => {
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
        { user: who.name, verb: 'create', resource: 'batches', decision: 'allowed', by: 'authenticated', status: 200 },
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

  describe('other writers:', () => {
    test('C2-124 concurrent batches without versions are all done', async () => {
      const things = await model()
      for (const name of ['a', 'b']) await things.created({ name, spec: { extra: {} } })
      const replica = await api.replica()
      const count = 12
      const write = (at: number) => {
        const operations = ['a', 'b'].map((name) => on(things).patch(name, { spec: { extra: { [`k${at}`]: at } } }))
        const body = { operations: at % 2 === 0 ? operations : operations.toReversed() }
        return (at % 3 === 0 ? replica : api).request('POST', batches, { body })
      }
      const answers = await Promise.all(Array.from({ length: count }, (_, at) => write(at)))
      for (const answer of answers) expectStatus(answer, 200)
      for (const name of ['a', 'b']) {
        const { spec, metadata } = await things.read(name)
        expect([metadata.version, Object.keys(spec['extra'] as object)]).toEqual([
          count,
          expect.objectContaining({ length: count }),
        ])
      }
    })

    test('C2-124 of concurrent batches for a unique value one is done, and nothing of the others is stored', async () => {
      const things = await model()
      const write = (at: number) =>
        send([
          on(things).create(thing({ name: `x${at}` })),
          on(things).create(thing({ name: `y${at}`, spec: { code: 'only' } })),
        ])
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => write(at)))
      const done = answers.findIndex(({ status }) => status === 200)
      for (const [at, answer] of answers.entries()) if (at !== done) expectProblem(answer, 409, 'DuplicateIndexValue')
      expect((await things.names()).toSorted()).toEqual([`x${done}`, `y${done}`])
    })

    test('C2-125 a stated version or uid that is not the stored one is 409', async () => {
      const things = await model()
      const { metadata } = await things.created()
      const { name, uid } = metadata
      const { create, update, patch, delete: remove } = on(things)
      const stale = [
        update(name, thing({ name, metadata: { version: 7 } })),
        update(name, thing({ name, metadata: { uid: 'other' } })),
        patch(name, { metadata: { version: 7 } }),
        remove(name, { version: 7 }),
        remove(name, { uid: 'other' }),
      ]
      for (const operation of stale) {
        const answer = await send([create(thing({ name: 'new' })), operation])
        expectProblem(answer, 409, 'VersionConflict')
        expect(pointers(answer)).toEqual(['/operations/1/object/metadata/version'])
      }
      results(await send([update(name, thing({ name, metadata: { version: 0, uid }, spec: { note: 'x' } }))]))
      results(await send([remove(name, { version: 1, uid })]))
    })
  })

  describe('models with rules of their own:', () => {
    test('C2-128 tokens are created elsewhere; models and plugins are deleted on their own', async () => {
      const token = { apiVersion: 'security.platform.run/v1alpha1', resource: 'personalaccesstokens' }
      const created = await send([
        { verb: 'create', ...token, object: { metadata: { name: 't' }, spec: { owner: 'admin' } } },
      ])
      expectProblem(created, 405, 'MethodNotAllowed')
      expect(pointers(created)).toEqual(['/operations/0/verb'])
      const definitions = { apiVersion: 'plugin.platform.run/v1alpha1', resource: 'models' }
      const things = await model()
      const name = things.modelPath.split('/').at(-1)
      expectProblem(await send([{ verb: 'delete', ...definitions, name }]), 400, 'BadRequest')
      await things.created()
      const spec = freshModel()
      const [made] = results(await send([{ verb: 'create', ...definitions, object: modelObject(spec) }]))
      expectStatus(await api.request('GET', `/apis/${spec.group}/v1alpha1/${spec.plural}`), 200)
      expectStatus(await api.request('DELETE', `/apis/plugin.platform.run/v1alpha1/models/${made?.metadata.name}`), 200)
    })

    test('C2-129 a secret is sealed and not answered', async () => {
      const name = freshName()
      const answer = await send([createIn('secrets', { metadata: { name }, data: { key: 'hidden-in-a-batch' } })])
      results(answer)
      expect(answer.text).not.toContain('hidden-in-a-batch')
      expect((await api.request('GET', `${core}/secrets/${name}`)).body).toMatchObject({
        data: { key: 'hidden-in-a-batch' },
      })
    })
  })
}

/** Asks the host whatever it is told to, and answers what the host says. */
const answer = `async (request, response, ask) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, ...options } = JSON.parse(text)
  return response.setHeader('content-type', 'application/json').end(JSON.stringify(await ask(path, options)))
}`

function declareFenced(api: Api): void {
  const installed = once(async () => {
    const permissions = [{ apiGroups: ['api.platform.run'], resources: ['batches'], verbs: ['create'] }]
    expectStatus(await install(api, { answer, definition: { ...todoDefinition, permissions } }), 201)
    await phaseIs(api, { phase: 'Started' })
  })
  const ask = async (method: string, path: string, options: object = {}) => {
    await installed()
    const share = `/apis/uc.api.${todoGroup}/v1alpha1/todos/-/share`
    const { body } = await api.request('POST', share, { body: { method, path, ...options } })
    return body as { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
  }

  test('C2-131 a batch is fenced by a lease', async () => {
    const take = async () => {
      const { body } = await ask('PUT', '/pergola/leases/batch', { body: { seconds: 60 } })
      return `batch/${String(body['token'])}`
    }
    const write = (name: string, fence: string) => {
      const object = { metadata: { name }, spec: { title: 'x' } }
      const operations = [{ verb: 'create', apiVersion: `${todoGroup}/v1alpha1`, resource: 'todos', object }]
      return ask('POST', batches, { body: { operations }, 'pergola-fence': fence })
    }
    const fence = await take()
    expect(await write('fenced', fence)).toMatchObject({ status: 200 })
    expect(await ask('DELETE', '/pergola/leases/batch')).toMatchObject({ status: 200 })
    expect(await write('late', fence)).toMatchObject({ status: 409, body: { reason: 'FenceLost' } })
    expectProblem(await api.request('GET', `${todos}/late`), 404, 'NotFound')
  })
}

onEachEngine(
  (api) => {
    declare(api)
    declareFenced(api)
  },
  {
    env: { PERGOLA_AUDIT_FILE: file },
    file: () => ({ secrets: { keys: [{ env: 'KEY' }] } }),
    variables,
  },
)
