import { computed, onScopeDispose, ref, shallowReactive } from 'vue'
import { away } from './connection.ts'

/** `live`: connected; `resuming`: reconnecting; `behind`: disconnected for so long that the page shows old data. */
export type LiveState = 'live' | 'resuming' | 'behind'

/** Reports the connection of a watch that the page shows data of. */
export interface LiveLink {
  readonly connected: () => void
  readonly lost: () => void
  /** The user may not watch; the watch no longer counts. */
  readonly refused: () => void
}

interface Link {
  readonly isConnected: boolean
  /** Time of the last change of `isConnected`, in milliseconds. */
  readonly since: number
}

/** A page is behind after this long without a connection. */
const patienceMs = 15_000
const clockMs = 1_000

const links = shallowReactive(new Map<symbol, Link>())
const now = ref(Date.now())
setInterval(() => {
  now.value = Date.now()
}, clockMs)

/** State of the current page; undefined if it has no watch, or before the first watch has answered. */
export const liveState = computed((): { readonly state: LiveState; readonly since: number } | undefined => {
  const all = [...links.values()]
  if (all.length === 0) return undefined
  const lost = [
    ...all.filter(({ isConnected }) => !isConnected).map(({ since }) => since),
    ...(away.value ? [away.value.since] : []),
  ]
  if (lost.length === 0) return { state: 'live', since: Math.max(...all.map(({ since }) => since)) }
  const since = Math.min(...lost)
  return { state: now.value - since > patienceMs ? 'behind' : 'resuming', since }
})

/** Registers a watch until the scope ends. */
export function useLiveLink(): LiveLink {
  const key = Symbol('watch')
  let isOver = false
  const set = (isConnected: boolean) => {
    if (isOver || links.get(key)?.isConnected === isConnected) return
    links.set(key, { isConnected, since: Date.now() })
  }
  onScopeDispose(() => {
    isOver = true
    links.delete(key)
  })
  return { connected: () => set(true), lost: () => set(false), refused: () => void links.delete(key) }
}
