import { ask } from './ask.ts'
import type { Random } from '../../fuzz/random.ts'
import { anyReplica, type Served } from './cluster.ts'
import { placeOf, type SeenObject, type Selection, type TakenList } from './history.ts'
import { collection } from './things.ts'

interface List {
  readonly revision: string
  readonly items: readonly SeenObject[]
}

interface ListOptions {
  readonly cluster: Served
  readonly random: Random
  readonly selection: Selection
}

/** Lists all selected objects from any replica; undefined if the replica fails. */
export async function takeList(options: ListOptions): Promise<TakenList | undefined> {
  const { cluster, random, selection } = options
  const { at, url } = anyReplica(cluster, random)
  return listAt({ url, token: cluster.token, selection, replica: at })
}

interface Listing extends Pick<ListOptions, 'selection'> {
  readonly url: string
  readonly token: string
  readonly replica: number
}

export async function listAt({ url, token, selection, replica }: Listing): Promise<TakenList | undefined> {
  const { query, object } = selection
  const named = object === undefined ? {} : { fieldSelector: `metadata.name=${object}` }
  const path = `${collection}?${new URLSearchParams({ ...query, ...named }).toString()}`
  const { status, text } = await ask({ url, token, method: 'GET', path })
  if (status !== 200) return undefined
  try {
    const { revision, items } = JSON.parse(text) as List
    return { place: placeOf(revision), items, replica }
  } catch {
    // The list was interrupted.
    return undefined
  }
}
