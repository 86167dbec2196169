import { ApiError, isApiError, settingsObjectName, type ApiObject } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { SettingsSource } from './settings-source.ts'

/** Between two attempts to follow what the host will not let us follow; doubles up to the second. */
const retryMs = { first: 50, most: 10_000 }
/** For the answer; an operator may have to do something before there is one. */
const readMs = 3_000
/** The host knows this process a moment after it has found it healthy; only what lasts longer is worth a word. */
const silentFailures = 5

export interface FollowParts {
  readonly plugin: string
  readonly client: Client
  readonly log: (text: string) => void
  /** Aborted when the plugin stops. */
  readonly signal: AbortSignal
}

/** What an operator has filled in, as it is now. */
export interface FollowedSettings {
  /** Throws `Unavailable` for as long as nobody could read it. */
  readonly source: SettingsSource
  /** Once it was read. */
  readonly ready: Promise<unknown>
}

type Values = Readonly<Record<string, unknown>>
type KeptObject = ApiObject & { readonly data?: Values }

/** Two objects that belong to the plugin by their name: what everybody may know, and what is sealed. */
export function followSettings(parts: FollowParts): FollowedSettings {
  const name = settingsObjectName(parts.plugin)
  const resource = (plural: string) => parts.client.resource<KeptObject>({ group: '', version: 'v1alpha1', plural })
  const [open, sealed] = [resource('configmaps'), resource('secrets')]
  const plain = followObject(parts, { name, watched: open, read: async ({ data = {} }) => data })
  const secret = followObject(parts, {
    name,
    watched: sealed,
    // A watch tells that it has changed; what it holds is only told to whoever asks for it.
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
  /** Told when all that there is has been read. */
  readonly begun: () => void
}

/** Until the host will not have it any more. */
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

/** Between the word that it has changed and our asking it may have gone. */
async function readThere(read: Followed['read'], object: KeptObject): Promise<Values> {
  try {
    return await read(object)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return {}
    throw error
  }
}

/** By the machine's clock, since it is the host that is waited for. */
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
