import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { todoDefinition } from '../end-to-end/plugin-package.ts'
import { batches, createIn, inCore, on, pointers, results, type Operation } from './batches.ts'
import { freshName, mergePatch, thing } from './collection.ts'
import { modelObject, freshModel } from './models.ts'
import { core } from './people.ts'
import { install, phaseIs, todoGroup, todos } from './plugin.ts'
import { expectProblem, expectStatus, type RequestOptions } from './request.ts'
import { onEachEngine, once, type Api } from './server.ts'

const variables = { KEY: randomBytes(32).toString('base64') }

function declare(api: Api): void {
  const send = (operations: readonly unknown[], options?: RequestOptions, query = '') =>
    api.request('POST', `${batches}${query}`, { body: { operations }, ...options })
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
        [patch(kept.metadata.name, [{ op: 'test', path: '/spec/city', value: 'Paris' }]), 412, 'PreconditionFailed'],
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

    test('C2-450 operations are logged and get their ids in the given order', async () => {
      for (const parts of [{ indexes: [{ name: 'spec.rank' }], composites: [] }, {}]) {
        const [things, others] = [await api.model(parts), await api.model(parts)]
        const names = ['zz', 'mm', 'aa', 'tt', 'bb', 'yy', 'cc']
        using watching = await api.watch(things.path)
        const named = (list: readonly string[], work: (name: string) => Operation) => list.map(work)
        const mixed = named(names, (name) => on(things).create(thing({ name }))).flatMap((operation) => [
          operation,
          on(others).create(thing()),
        ])
        results(await send(mixed))
        results(await send(named(names, (name) => on(things).patch(name, { spec: { rank: 1 } }))))
        const reversed = names.toReversed()
        results(await send(named(reversed, (name) => on(things).patch(name, { metadata: { labels: { a: 'b' } } }))))
        results(await send(named(names.slice(0, 5), (name) => on(things).delete(name))))
        expect(await watching.until(26)).toEqual([
          ...names.map((name) => `ADDED ${name}`),
          ...names.map((name) => `MODIFIED ${name}`),
          ...reversed.map((name) => `MODIFIED ${name}`),
          ...names.slice(0, 5).map((name) => `DELETED ${name}`),
        ])
        results(await send(named(['zz', 'aa'], (name) => on(things).create(thing({ name })))))
        expect(await things.names()).toEqual(['aa', 'zz', 'cc', 'yy'])
      }
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

    test('C2-117 C2-118 each verb has its fields, and all errors are reported together', async () => {
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

    test('C2-119 the first failing operation is reported with all its errors', async () => {
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
        ['version', update(name, thing({ name, metadata: { version: 7 } }))],
        ['uid', update(name, thing({ name, metadata: { uid: 'other' } }))],
        ['version', patch(name, { metadata: { version: 7 } })],
        ['version', remove(name, { version: 7 })],
        ['uid', remove(name, { uid: 'other' })],
      ] as const
      for (const [field, operation] of stale) {
        const answer = await send([create(thing({ name: 'new' })), operation])
        expectProblem(answer, 409, 'VersionConflict')
        expect(pointers(answer)).toEqual([`/operations/1/object/metadata/${field}`])
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

/** A plugin that forwards requests to the host and returns its responses. */
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
    file: () => ({ secrets: { keys: [{ env: 'KEY' }] } }),
    variables,
  },
)
