import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openLink } from '../../tests/faults/watch/link.ts'
import { group } from '../http/people.ts'
import type { Part } from '../measure/part.ts'
import { call, nextPerson, people, startHost } from './host.ts'
import { createUser } from './user.ts'

const barMs = 3_000
const heldMs = 5_000
const askEveryMs = 20
/** A path without an object: an authorized caller gets 404 without a database query. */
const probe = '/rights-probe'

/**
 * A replica is cut off from its database while a right is revoked on another one. Measures how long it still accepts
 * that right, and counts events that an open stream still gets.
 */
export const cutLink: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 20
  await using link = await openLink()
  await using host = await startHost({
    replicas: 2,
    databaseUrl: async (own, replica) => {
      if (replica === 0) return own
      const url = new URL(own)
      link.target = Number(url.port)
      url.port = String(link.port)
      return url.href
    },
  })
  const [first = '', second = ''] = host.addresses
  let longest = 0
  let leaked = 0
  let unended = 0
  for (let round = 0; round < rounds; round++) {
    const rules = [
      { apiGroups: [group], resources: ['people'], verbs: ['watch'] },
      { nonResourceURLs: [probe], verbs: ['get'] },
    ]
    const { session, binding } = await createUser(first, rules)
    while ((await statusOf(second, session)) !== 404) await sleep(10)
    const watch = await openWatch(second, session)
    const began = performance.now()
    link.hold()
    await call(first, 'DELETE', `/api/v1alpha1/rolebindings/${binding}`)
    await call(first, 'POST', people, nextPerson())
    let last = 0
    while (performance.now() - began < heldMs) {
      const sent = performance.now() - began
      if ((await statusOf(second, session)) === 404) last = sent
      await sleep(askEveryMs)
    }
    link.release()
    unended += (await watch.ended) ? 0 : 1
    leaked += watch.objects()
    longest = Math.max(longest, last)
    console.log(`  round ${round + 1}: allowed for ${last.toFixed(0)} ms, ${watch.objects()} objects on the stream`)
  }
  const figure = `cut off from its database, a replica goes by a right for ${longest.toFixed(0)} ms (bar ${barMs})`
  console.log(`\n${figure}; ${leaked} objects after the right was gone, ${unended} streams that did not end`)
  const short = [
    ...(longest > barMs ? [figure] : []),
    ...(leaked > 0 ? [`${leaked} objects were sent after the right was gone`] : []),
    ...(unended > 0 ? [`${unended} streams did not end`] : []),
  ]
  return { figure, short }
}

/** Undefined if no response arrives in time. */
async function statusOf(address: string, session: string): Promise<number | undefined> {
  try {
    const headers = { authorization: `Bearer ${session}` }
    const { status, body } = await fetch(`${address}${probe}`, { headers, signal: AbortSignal.timeout(1_000) })
    await body?.cancel()
    return status
  } catch {
    return undefined
  }
}

async function openWatch(address: string, session: string) {
  const headers = { authorization: `Bearer ${session}` }
  const watch = new WebSocket(`${address.replace(/^http/, 'ws')}${people}`, { headers })
  let objects = 0
  watch.on('message', (data: Buffer) => {
    if (/^\{"type":"(ADDED|MODIFIED|DELETED)"/.test(data.toString())) objects++
  })
  await new Promise((resolve, reject) => watch.once('open', resolve).once('error', reject))
  const closed = new Promise<boolean>((resolve) => watch.once('close', () => resolve(true)))
  return { objects: () => objects, ended: Promise.race([closed, sleep(heldMs + 15_000).then(() => false)]) }
}
