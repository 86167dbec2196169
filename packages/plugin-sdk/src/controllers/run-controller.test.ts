import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSqliteServer, token, type Notes, type SqliteServer } from '../../../../tests/client/server.ts'
import { bridgeTo, type Bridge } from '../../../../tests/client/unix-bridge.ts'
import {
  controller,
  defineModel,
  definePlugin,
  defineSettings,
  giveUp,
  t,
  withDefault,
  type ControllerContext,
} from '../index.ts'
import { createPluginServer, type PluginServerOptions } from '../run/plugin-server.ts'
import { createManualClock } from './contract/manual-clock.ts'
import type { Lead } from './hold.ts'

let server: SqliteServer
let bridge: Bridge
const directory = mkdtempSync(join(tmpdir(), 'pergola-controllers-'))
beforeAll(async () => {
  server = await startSqliteServer()
  bridge = await bridgeTo(server.url)
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const define = (plural: string) =>
  defineModel({
    apiVersion: 'client.example.com/v1alpha1',
    kind: 'Note',
    plural,
    singular: 'note',
    spec: t.Object({ text: t.String(), rank: t.Optional(t.Integer()), body: withDefault(t.String(), 'blank') }),
    status: t.Object({ phase: t.Optional(t.String()) }),
    statusSubresource: true,
  })
type NoteModel = ReturnType<typeof define>
type Stored = NonNullable<NoteModel['object']>
type Reconcile = (note: Stored, context: ControllerContext, model: NoteModel) => Promise<void> | void

/** Starts a plugin with one controller on a socket, with a clock that the test advances. */
async function start(notes: Notes, reconcile: Reconcile, options: Partial<PluginServerOptions> = {}) {
  const clock = createManualClock(Date.parse('2030-03-01T09:00:00Z'))
  const log: string[] = []
  const model = define(notes.plural)
  const plugin = definePlugin({
    name: 'notes',
    models: [model],
    controllers: { follow: controller(model, async (note, context) => reconcile(note, context, model)) },
  })
  const running = createPluginServer(plugin, {
    token,
    host: bridge.socket,
    clock,
    log: (line) => log.push(line),
    ...options,
  })
  await running.listen(join(directory, `${notes.plural}.sock`))
  return { clock, log, stop: () => running.stop(), [Symbol.asyncDispose]: () => running.stop() }
}

test('a controller is called for present, new and changed objects, and writes a status', async () => {
  const notes = await server.notes()
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  const seen: string[] = []
  await using running = await start(notes, async (note, { client }, model) => {
    seen.push(`${note.metadata.name} ${note.spec.text} ${note.spec.body}`)
    if (note.status?.phase !== note.spec.text) await client(model).updateStatus(note, { phase: note.spec.text })
  })
  await expect.poll(async () => (await notes.get('one')).status?.phase).toBe('a')
  await notes.patch('one', { spec: { text: 'b' } })
  await expect.poll(async () => (await notes.get('one')).status?.phase).toBe('b')
  await notes.create({ metadata: { name: 'two' }, spec: { text: 'c' } })
  await expect.poll(async () => (await notes.get('two')).status?.phase).toBe('c')
  expect(seen[0]).toBe('one a blank')
  expect(running.log).toEqual([])
})

test('a change during the initial list is handled before the list ends', async () => {
  const notes = await server.notes()
  const names = Array.from({ length: 300 }, (_, at) => `note-${String(at).padStart(3, '0')}`)
  // Large enough that the initial list takes a while.
  const body = 'x'.repeat(60_000)
  for (const name of names) await notes.create({ metadata: { name }, spec: { text: 'a', body } })
  const seen: string[] = []
  await using _ = await start(notes, async ({ metadata, spec }) => {
    seen.push(`${metadata.name} ${spec.text}`)
    if (seen.length === 1) await notes.patch(metadata.name, { spec: { text: 'b' } })
    await pause(20)
  })
  await expect.poll(() => seen).toContain('note-000 b')
  expect(seen.indexOf('note-000 b')).toBeLessThan(names.length / 2)
})

test('a failed run is logged and retried with backoff; after giveUp it runs only on a change', async () => {
  const notes = await server.notes()
  let runs = 0
  await using running = await start(notes, ({ spec }) => {
    runs++
    if (spec.text === 'hopeless') giveUp('nothing can be done')
    if (spec.text === 'bad') throw new Error('it is bad', { cause: new Error('it is old') })
  })
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'bad' } })
  await expect.poll(() => running.clock.waiting).toBe(1)
  expect([runs, running.log[0]]).toEqual([
    1,
    expect.stringMatching(
      /note "one" failed; retrying in 5 ms: Error: it is bad\n {4}at [^]*\n {2}caused by: Error: it is old$/,
    ),
  ])
  running.clock.advance(5)
  await expect.poll(() => running.clock.waiting).toBe(1)
  expect([runs, running.log[1]]).toEqual([
    2,
    expect.stringMatching(/2 times in a row; retrying in 10 ms: Error: it is bad; caused by: Error: it is old$/),
  ])
  await notes.patch('one', { spec: { text: 'hopeless' } })
  await expect.poll(() => runs).toBe(3)
  await expect.poll(() => running.log.at(-1)).toContain('is given up: nothing can be done')
  running.clock.advance(1e9)
  await notes.patch('one', { spec: { text: 'fine' } })
  await expect.poll(() => runs).toBe(4)
})

test('a controller works only while it holds the lease, and its writes carry the fence', async () => {
  const notes = await server.notes()
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  const fences: (readonly [string | undefined, unknown])[] = []
  const relay = createServer((request, response) => {
    fences.push([request.method, request.headers['pergola-fence']])
    // Removes the fence, because the server behind the relay does not know the lease.
    const { 'pergola-fence': _, ...headers } = request.headers as Record<string, string>
    const body = request.method === 'GET' ? null : (request as never)
    const init = { method: request.method ?? 'GET', headers, body, duplex: 'half' as const }
    const pass = async () => {
      const answer = await fetch(`${server.url}${request.url}`, init)
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    }
    pass().catch(() => response.destroy())
  })
  const socket = join(directory, 'relay.sock')
  await new Promise<void>((resolve) => relay.listen(socket, resolve))
  const leads = Promise.withResolvers<Lead>()
  let signalOfRun: AbortSignal | undefined
  let runs = 0
  const running = await start(
    notes,
    async (note, { client, signal }, model) => {
      runs++
      signalOfRun = signal
      if (note.status?.phase === undefined) await client(model).updateStatus(note, { phase: 'x' })
    },
    {
      host: socket,
      hold: async function* () {
        yield await leads.promise
      },
    },
  )
  expect([runs, fences]).toEqual([0, []])
  const lead = new AbortController()
  leads.resolve({ signal: lead.signal, fence: 'follow/7' })
  await expect.poll(async () => (await notes.get('one')).status?.phase).toBe('x')
  await expect.poll(() => runs).toBe(2)
  expect(fences.filter(([method]) => method === 'PUT')).toEqual([['PUT', 'follow/7']])
  expect(fences.filter(([method]) => method === 'GET').every(([, fence]) => fence === undefined)).toBe(true)
  lead.abort()
  expect(signalOfRun?.aborted).toBe(true)
  await notes.patch('one', { spec: { text: 'b' } })
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(runs).toBe(2)
  await running.stop()
  relay.closeAllConnections()
  relay.close()
})

test('a stop aborts the running call and waits for it, even if it fails', async () => {
  const notes = await server.notes()
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  const done: string[] = []
  let isRunning = false
  const running = await start(notes, async (_, { signal }) => {
    isRunning = true
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await new Promise((resolve) => setTimeout(resolve, 50))
    done.push('ended')
    signal.throwIfAborted()
  })
  await expect.poll(() => isRunning).toBe(true)
  await running.stop()
  expect([done, running.log]).toEqual([['ended'], []])
})

test('a controller starts once its model exists', async () => {
  const { plural } = await server.notes()
  const number = Number(plural.replace('notes', '')) + 1
  const seen: string[] = []
  const later = Object.assign({}, { plural: `notes${number}` }) as Notes
  await using running = await start(later, ({ metadata }) => void seen.push(metadata.name))
  await expect.poll(() => running.log[0]).toMatch(/failed to watch notes\d+; retrying in 1000 ms: .*there is no/)
  const notes = await server.notes()
  expect(notes.plural).toBe(later.plural)
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  await expect.poll(() => seen).toEqual(['one'])
})

test('a change of the settings runs the controller again for every object', async () => {
  const notes = await server.notes()
  const model = define(notes.plural)
  const settings = defineSettings(t.Object({ mail: t.Optional(t.String()) }))
  const seen: string[] = []
  const follow = controller(model, async ({ metadata }, context) => {
    seen.push(`${metadata.name} ${context.settings(settings).mail ?? 'waits'}`)
  })
  const plugin = definePlugin({ name: 'mailer', models: [model], settings, controllers: { follow } })
  const running = createPluginServer(plugin, { token, host: bridge.socket })
  await running.listen(join(directory, `${notes.plural}.sock`))
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  await notes.create({ metadata: { name: 'two' }, spec: { text: 'b' } })
  await expect.poll(() => seen.toSorted()).toEqual(['one waits', 'two waits'])
  const maps = server.client().resource({ group: '', version: 'v1alpha1', plural: 'configmaps' })
  await maps.create({ metadata: { name: 'mailer-settings' }, data: { mail: 'post' } } as never)
  await expect.poll(() => seen.slice(2).toSorted()).toEqual(['one post', 'two post'])
  await running.stop()
})

test('a finalizer keeps a deleted object until finalize succeeds', async () => {
  const notes = await server.notes()
  const model = define(notes.plural)
  const seen: string[] = []
  let isReady = false
  const finalize = async ({ metadata }: Stored) => {
    seen.push(`${metadata.name} goes`)
    if (!isReady) throw new Error('not yet')
  }
  const reconcile = async ({ metadata }: Stored) => void seen.push(`${metadata.name} ${metadata.finalizers?.join()}`)
  const follow = controller(model, reconcile, { finalizer: { name: 'copies', finalize } })
  const plugin = definePlugin({ name: 'notes', models: [model], controllers: { follow } })
  const clock = createManualClock(Date.parse('2030-03-01T09:00:00Z'))
  const running = createPluginServer(plugin, { token, host: bridge.socket, clock, log: () => {} })
  await running.listen(join(directory, `${notes.plural}.sock`))
  const finalizers = ['example.com/others']
  await notes.create({ metadata: { name: 'one', finalizers }, spec: { text: 'a' } })
  await expect.poll(() => seen).toEqual(['one example.com/others,client.example.com/copies'])
  await notes.delete('one')
  await expect.poll(() => seen.slice(1)).toEqual(['one goes'])
  isReady = true
  clock.advance(5)
  await expect.poll(async () => (await notes.get('one')).metadata.finalizers).toEqual(finalizers)
  // The controller is not called for an object that only other finalizers keep.
  await notes.patch('one', { metadata: { finalizers: [] } })
  await expect.poll(() => notes.get('one').catch(({ reason }: { reason: string }) => reason)).toBe('NotFound')
  expect(seen.slice(1)).toEqual(['one goes', 'one goes'])
  await running.stop()
})

test('`deleted` gets the last stored state, is retried after a failure, and runs before a new object with the same name', async () => {
  const notes = await server.notes()
  const model = define(notes.plural)
  const seen: string[] = []
  let isReady = false
  const follow = controller(model, async ({ spec }: Stored) => void seen.push(`there ${spec.text}`), {
    deleted: async ({ spec }: Stored) => {
      seen.push(`gone ${spec.text}`)
      if (!isReady) throw new Error('not yet')
    },
  })
  const plugin = definePlugin({ name: 'notes', models: [model], controllers: { follow } })
  const clock = createManualClock(Date.parse('2030-03-01T09:00:00Z'))
  const running = createPluginServer(plugin, { token, host: bridge.socket, clock, log: () => {} })
  await running.listen(join(directory, `${notes.plural}.sock`))
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
  await expect.poll(() => seen).toEqual(['there a'])
  await notes.patch('one', { spec: { text: 'b' } })
  await expect.poll(() => seen.slice(1)).toEqual(['there b'])
  await notes.delete('one')
  await expect.poll(() => seen.slice(2)).toEqual(['gone b'])
  isReady = true
  await notes.create({ metadata: { name: 'one' }, spec: { text: 'c' } })
  await expect.poll(() => seen.slice(3)).toEqual(['gone b', 'there c'])
  await running.stop()
})
