import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type ApiObject, type Client, type ClientOptions, type Resource } from '@pergola/client'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import type { Server } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import type { SealingKey } from '../../packages/server/src/config/sealing-keys.ts'
import { seedAdministrator } from '../end-to-end/seed-administrator.ts'

/** Token of the administrator. */
export const token = 'pgs_client-test-client-test-client-test'

export interface Note extends ApiObject {
  readonly spec: {
    readonly text: string
    readonly rank?: number
    readonly tags?: readonly string[]
    readonly body?: string
  }
  readonly status?: { readonly phase?: string }
}

export interface ServerOptions {
  readonly databaseUrl: string
  readonly port?: number
  readonly settings?: Readonly<Record<string, string>>
  /** Encryption keys of secrets, read when a server starts. */
  readonly keys?: () => readonly SealingKey[]
}

/** A complete server in this process, assembled as by `pergola serve`. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { databaseUrl, port = 0, settings = {}, keys = () => [] } = options
  return assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: databaseUrl,
        PERGOLA_SERVER_PORT: String(port),
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '2',
        ...settings,
      },
    }),
    keys: keys(),
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
}

/** A server with its own database file. */
export interface SqliteServer extends AsyncDisposable {
  readonly url: string
  /** A client of the administrator. */
  client(options?: Partial<ClientOptions>): Client
  /** Declares a new model for a test and returns a client of the administrator for it. */
  notes(client?: Client): Promise<Notes>
  stop(): Promise<void>
  /** Starts again on the same port. */
  start(): Promise<void>
  /** Copies the database of the stopped server; `restore` puts the copy back. */
  backUp(): void
  restore(): void
}

export type Notes = Resource<Note> & { readonly plural: string }

export async function startSqliteServer(
  settings: Readonly<Record<string, string>> = {},
  keys: () => readonly SealingKey[] = () => [],
): Promise<SqliteServer> {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-client-'))
  const [live, backup] = [join(directory, 'live'), join(directory, 'backup')]
  mkdirSync(live)
  const databaseUrl = `sqlite:${join(live, 'test.db')}`
  await seedAdministrator(databaseUrl, token)
  let server: Server | undefined = await startServer({ databaseUrl, settings, keys })
  const { url } = server
  const client = (options: Partial<ClientOptions> = {}) => createClient({ url, token, ...options })
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  return {
    url,
    client,
    notes: (by = client()) => declareNotes(by),
    stop,
    start: async () => {
      server = await startServer({ databaseUrl, settings, keys, port: Number(new URL(url).port) })
    },
    backUp: () => cpSync(live, backup, { recursive: true }),
    restore: () => {
      rmSync(live, { recursive: true })
      cpSync(backup, live, { recursive: true })
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(directory, { recursive: true })
    },
  }
}

const group = 'client.example.com'
let models = 0

/** The resource of a declared model. */
export function notesOf(client: Client, plural: string): Notes {
  return Object.assign(client.resource<Note>({ group, version: 'v1alpha1', plural }), { plural })
}

/** Resolves when the model is served. */
export async function declareNotes(client: Client): Promise<Notes> {
  const number = ++models
  const plural = `notes${number}`
  const spec = {
    group,
    kind: `Note${number}`,
    singular: `note${number}`,
    plural,
    specRequired: true,
    statusSubresource: true,
    versions: [{ name: 'v1alpha1', schema: noteSchema }],
    indexes: [{ name: 'spec.text' }, { name: 'spec.rank' }],
  }
  await client.call({ method: 'POST', path: '/apis/plugin.platform.run/v1alpha1/models', body: { spec } })
  const notes = notesOf(client, plural)
  for (let tries = 0; tries < 100; tries++) {
    if (await notes.list({ size: 1 }).catch(() => undefined)) break
    await sleep(50)
  }
  return notes
}

const noteSchema = {
  properties: {
    spec: {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 1 },
        rank: { type: 'integer' },
        body: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
}
