import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openLink } from '../../tests/faults/watch/link.ts'
import { group } from '../http/people.ts'
import type { Part } from '../measure/part.ts'
import { call, feedState, nextPerson, people, startHost } from '../watch/host.ts'
import { createUser } from '../watch/user.ts'

const barMs = 3_000
const waitMs = 10_000

/** Delay until a replica that is cut off from NATS shows changes from other replicas. */
export const cutNats: Part = async ({ quick }) => {
  const rounds = quick ? 4 : 20
  await using link = await openLink()
  await using host = await startHost({
    replicas: 2,
    transport: 'nats',
    natsUrl: (own, replica) => {
      if (replica === 0) return own
      link.target = Number(new URL(own).port)
      return `nats://127.0.0.1:${link.port}`
    },
  })
  const [first = '', second = ''] = host.addresses
  const rules = [{ apiGroups: [group], resources: ['people'], verbs: ['watch', 'list'] }]
  let [longestFrame, longestRight, refused] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    while (!(await feedState(second)).startsWith('by NATS')) await sleep(50)
    const { session, binding } = await createUser(first, rules)
    const headers = { authorization: `Bearer ${session}` }
    const status = async () => (await fetch(`${second}${people}?size=1`, { headers })).status
    while ((await status()) !== 200) await sleep(10)
    const watch = new WebSocket(`${second.replace(/^http/, 'ws')}${people}`, { headers })
    await new Promise((resolve, reject) => watch.once('open', resolve).once('error', reject))
    const frame = new Promise<number>((resolve) => watch.once('message', () => resolve(performance.now())))
    // Cuts at varying times between two proofs.
    await sleep(Math.random() * 500)
    link.hold()
    await call(first, 'POST', people, nextPerson())
    const written = performance.now()
    const seen = await Promise.race([frame, sleep(waitMs).then(() => Number.POSITIVE_INFINITY)])
    link.release()
    while (!(await feedState(second)).startsWith('by NATS')) await sleep(50)
    link.hold()
    await call(first, 'DELETE', `/api/v1alpha1/rolebindings/${binding}`)
    const takenBack = performance.now()
    let last = await status()
    while (last === 200 && performance.now() - takenBack < waitMs) last = await status()
    if (last !== 200 && last !== 403) refused++
    const right = performance.now() - takenBack
    link.release()
    watch.terminate()
    longestFrame = Math.max(longestFrame, seen - written)
    longestRight = Math.max(longestRight, right)
    console.log(
      `  round ${round + 1}: a change after ${(seen - written).toFixed(0)} ms, a right gone after ${right.toFixed(0)} ms`,
    )
  }
  const figure = `cut off from NATS, a replica shows a change after at most ${longestFrame.toFixed(0)} ms and goes by a right for ${longestRight.toFixed(0)} ms (bar ${barMs})`
  const isLate = longestFrame > barMs || longestRight > barMs
  return {
    figure,
    short: [...(isLate ? [figure] : []), ...(refused > 0 ? [`${refused} requests were not served`] : [])],
  }
}
