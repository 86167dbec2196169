import { shallowRef } from 'vue'

/** Upper bound of remembered objects; beyond it, the oldest count as written by others. */
const most = 500

/** Uids of the objects that this browser tab has written. */
export const ownWrites = shallowRef<ReadonlySet<string>>(new Set())

/** `fetch`, which remembers the objects that it writes. */
export const fetchNoting: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (isWrite(init?.method) && isJson(response)) void note(response.clone())
  return response
}

function isWrite(method = 'GET'): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method)
}

function isJson({ ok, headers }: Response): boolean {
  return ok && (headers.get('content-type') ?? '').startsWith('application/json')
}

interface Written {
  readonly metadata?: { readonly uid?: unknown }
  /** Of a batch. */
  readonly results?: unknown
}

async function note(response: Response): Promise<void> {
  // The caller reports a body that cannot be read.
  const written = (await response.json().catch(() => undefined)) as Written | null | undefined
  const objects = Array.isArray(written?.results) ? (written.results as readonly Written[]) : [written]
  const uids = objects.map((one) => one?.metadata?.uid).filter((uid) => typeof uid === 'string')
  if (uids.length === 0) return
  ownWrites.value = new Set([...ownWrites.value, ...uids].slice(-most))
}
