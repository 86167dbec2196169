import { isDeepStrictEqual } from 'node:util'
import { ApiError, isApiError, settingsObjectName, type ApiObject } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { SettingsSource } from './settings-source.ts'

/** Backoff between attempts to watch the settings when the host rejects the watch. */
const retryMs = { first: 50, most: 10_000 }
/** Timeout of reading the secret. Short, because the read may fail until an operator adds a missing encryption key. */
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

/** The current settings that an operator entered. */
export interface FollowedSettings {
  /** Throws `Unavailable` until the settings have been read. */
  readonly source: SettingsSource
  /** Resolves once the settings have been read. */
  readonly ready: Promise<unknown>
  /** Calls the listener after every change, until the signal aborts. */
  readonly onChange: OnSettingsChange
}

export type OnSettingsChange = (listener: () => void, signal: AbortSignal) => void

type Values = Readonly<Record<string, unknown>>
type SettingsObject = ApiObject & { readonly data?: Values }

/** Watches the config map and the secret that store the plugin's settings. */
export function followSettings(parts: FollowParts): FollowedSettings {
  const name = settingsObjectName(parts.plugin)
  const resource = (plural: string) => parts.client.resource<SettingsObject>({ group: '', version: 'v1alpha1', plural })
  const [configMaps, secrets] = [resource('configmaps'), resource('secrets')]
  const listeners = new Set<() => void>()
  const onChange = () => {
    for (const listener of listeners) listener()
  }
  const plain = followObject(parts, { name, onChange, watched: configMaps, read: async ({ data = {} }) => data })
  const secret = followObject(parts, {
    name,
    onChange,
    watched: secrets,
    // A watch of secrets omits their data, so read the secret after each change.
    read: async () => (await secrets.get(name, { signal: parts.signal, timeoutMs: readMs })).data ?? {},
  })
  return {
    source: () => ({ ...plain.values(), ...secret.values() }),
    ready: Promise.all([plain.ready, secret.ready]),
    onChange: (listener, signal) => {
      if (signal.aborted) return
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
  }
}

interface Followed {
  readonly name: string
  readonly onChange: () => void
  readonly watched: ReturnType<Client['resource']>
  readonly read: (object: SettingsObject) => Promise<Values>
}

function followObject(parts: FollowParts, followed: Followed) {
  const { signal, log } = parts
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let values: Values | undefined
  let lastError: unknown
  const setValues = (read: Values) => {
    // A watch that starts again repeats the values.
    const hasChanged = !isDeepStrictEqual(values, read)
    values = read
    resolve()
    if (hasChanged) followed.onChange()
  }
  const follow = async () => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await followOnce(followed, { signal, setValues, onInitialState: () => (failures = 0) })
      } catch (error) {
        if (signal.aborted) return
        lastError = error
        const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** failures)
        if (failures >= silentFailures)
          log(`failed to read the settings ${followed.name}; retrying in ${waitMs} ms: ${String(error)}`)
        await pause(waitMs, signal)
      }
    }
  }
  void follow()
  return {
    ready,
    values: () => {
      if (values) return values
      const reason = isApiError(lastError) ? lastError.message : 'the host has not responded yet'
      const words = `the settings of plugin "${parts.plugin}" are not loaded yet: ${reason}`
      throw new ApiError('Unavailable', words, { cause: lastError })
    },
  }
}

interface Following {
  readonly signal: AbortSignal
  readonly setValues: (values: Values) => void
  /** Called when the initial state has been read. */
  readonly onInitialState: () => void
}

/** Watches until the host rejects the watch. */
async function followOnce(
  { name, watched, read }: Followed,
  { signal, setValues, onInitialState }: Following,
): Promise<void> {
  let exists = false
  for await (const event of watched.watch({ name, initial: true, signal })) {
    if (event.type === 'RESTARTED' || event.type === 'DELETED') exists = false
    if (event.type === 'ADDED' || event.type === 'MODIFIED') {
      exists = true
      setValues(await readIfExists(read, event.object))
    }
    if (event.type === 'DELETED' || (event.type === 'BOOKMARK' && !exists)) setValues({})
    if (event.type === 'BOOKMARK') onInitialState()
  }
}

/** Returns no values if the object was deleted between the event and the read. */
async function readIfExists(read: Followed['read'], object: SettingsObject): Promise<Values> {
  try {
    return await read(object)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return {}
    throw error
  }
}

/** Waits on the system clock, also in tests with a simulated clock, because the host uses the system clock. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
}
