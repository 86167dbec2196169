import { ApiError, isApiError, settingsObjectName, type ApiObject } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { SettingsSource } from './settings-source.ts'

/** Backoff between attempts to watch the settings when the host rejects the watch. */
const retryMs = { first: 50, most: 10_000 }
/** Timeout of reading the secret; an operator may have to act first. */
const readMs = 3_000
/** Failures that are not logged. The host recognises this process only shortly after its health check succeeds. */
const silentFailures = 5

export interface FollowParts {
  readonly plugin: string
  readonly client: Client
  readonly log: (text: string) => void
  /** Aborted when the plugin stops. */
  readonly signal: AbortSignal
}

/** The current settings, as an operator entered them. */
export interface FollowedSettings {
  /** Throws `Unavailable` until the settings have been read. */
  readonly source: SettingsSource
  /** Resolves once the settings have been read. */
  readonly ready: Promise<unknown>
}

type Values = Readonly<Record<string, unknown>>
type KeptObject = ApiObject & { readonly data?: Values }

/** Watches the config map and the secret that store the plugin's settings. */
export function followSettings(parts: FollowParts): FollowedSettings {
  const name = settingsObjectName(parts.plugin)
  const resource = (plural: string) => parts.client.resource<KeptObject>({ group: '', version: 'v1alpha1', plural })
  const [open, sealed] = [resource('configmaps'), resource('secrets')]
  const plain = followObject(parts, { name, watched: open, read: async ({ data = {} }) => data })
  const secret = followObject(parts, {
    name,
    watched: sealed,
    // A watch of secrets omits their data, so read the secret after each change.
    read: async () => (await sealed.get(name, { signal: parts.signal, timeoutMs: readMs })).data ?? {},
  })
  return {
    source: () => ({ ...plain.values(), ...secret.values() }),
    ready: Promise.all([plain.ready, secret.ready]),
  }
}

interface Followed {
  readonly name: string
  readonly watched: ReturnType<Client['resource']>
  readonly read: (object: KeptObject) => Promise<Values>
}

function followObject(parts: FollowParts, followed: Followed) {
  const { signal, log } = parts
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let values: Values | undefined
  let why: unknown
  const take = (read: Values) => {
    values = read
    resolve()
  }
  const follow = async () => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await followOnce(followed, { signal, take, begun: () => (failures = 0) })
      } catch (error) {
        if (signal.aborted) return
        why = error
        if (failures >= silentFailures)
          log(`the settings ${followed.name} cannot be read, and are tried again: ${String(error)}`)
        await pause(Math.min(retryMs.most, retryMs.first * 2 ** failures), signal)
      }
    }
  }
  void follow()
  return {
    ready,
    values: () => {
      if (values) return values
      const words = `the settings of this plugin cannot be read: ${isApiError(why) ? why.message : 'the host has not answered yet'}`
      throw new ApiError('Unavailable', words, { cause: why })
    },
  }
}

interface Following {
  readonly signal: AbortSignal
  readonly take: (values: Values) => void
  /** Called when the initial state has been read. */
  readonly begun: () => void
}

/** Watches until the host rejects the watch. */
async function followOnce({ name, watched, read }: Followed, { signal, take, begun }: Following): Promise<void> {
  let isThere = false
  for await (const event of watched.watch({ name, initial: true, signal })) {
    if (event.type === 'RESTARTED' || event.type === 'DELETED') isThere = false
    if (event.type === 'ADDED' || event.type === 'MODIFIED') {
      isThere = true
      take(await readThere(read, event.object))
    }
    if (event.type === 'DELETED' || (event.type === 'BOOKMARK' && !isThere)) take({})
    if (event.type === 'BOOKMARK') begun()
  }
}

/** The object may be deleted between the event and the read. */
async function readThere(read: Followed['read'], object: KeptObject): Promise<Values> {
  try {
    return await read(object)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return {}
    throw error
  }
}

/** Uses the system clock, because it waits for the host. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const timer = setTimeout(leave, ms)
    signal.addEventListener('abort', leave)
  })
}
