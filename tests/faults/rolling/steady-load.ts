import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import { ask } from '../watch/ask.ts'
import { anyReplica, type Served } from '../watch/cluster.ts'
import { collection } from '../watch/things.ts'

export interface LoadResult {
  readonly requests: number
  /** Requests that were repeated after their connection broke. */
  readonly repeated: number
  /** Descriptions of the requests that failed otherwise. */
  readonly failures: readonly string[]
}

export interface SteadyLoadOptions {
  readonly cluster: Served
  readonly random: Random
  /** Path of a custom API of a plugin. */
  readonly customApi: string
  readonly stopped: () => boolean
}

const lanes = 4
const pauseMs = 20
const mostRepeats = 5

/** Reads and calls a plugin at random replicas, and repeats a request only when its connection broke. */
export async function runSteadyLoad({ cluster, random, customApi, stopped }: SteadyLoadOptions): Promise<LoadResult> {
  const { token } = cluster
  const paths = [`${collection}?size=5`, `${collection}?size=5&sort=metadata.name`, customApi, customApi]
  const failures: string[] = []
  let [requests, repeated] = [0, 0]
  const send = async (path: string) => {
    requests++
    for (let attempt = 0; ; attempt++) {
      const { at, url } = anyReplica(cluster, random)
      const began = performance.now()
      const { status, text } = await ask({ url, token, method: 'GET', path })
      if (status === 200) return
      if (status !== 0 || attempt === mostRepeats) {
        const ms = (performance.now() - began).toFixed(0)
        failures.push(`GET ${path} at replica ${at}: ${status} ${text.slice(0, 200)} after ${ms} ms`)
        return
      }
      repeated++
    }
  }
  const lane = async () => {
    while (!stopped()) {
      await send(random.pick(paths))
      await sleep(random.whole(0, pauseMs * 2))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { requests, repeated, failures }
}
