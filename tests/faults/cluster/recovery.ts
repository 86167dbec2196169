import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../watch/ask.ts'
import type { Session } from '../watch/history.ts'
import type { Replica } from '../watch/replica.ts'
import { isEvent } from '../watch/sessions.ts'
import { openStream } from '../watch/stream.ts'
import { collection } from '../watch/things.ts'
import type { Installation } from './installation.ts'

const recoverySeconds = 120
const frameMs = 2_000
const pollMs = 10
let marks = 0

/** Waits until every replica accepts a write and delivers it to a watch; returns the total time. */
export async function untilRecovered({ replicas, token }: Installation, since: number): Promise<number> {
  await Promise.all(replicas.map((replica) => untilUseful(replica, token)))
  return performance.now() - since
}

async function untilUseful(replica: Replica, token: string): Promise<void> {
  const deadline = performance.now() + recoverySeconds * 1000
  let why = ''
  while (performance.now() < deadline) {
    why = await tryOnce(replica, token)
    if (why === '') return
    await sleep(pollMs)
  }
  throw new Error(`replica ${replica.at} does not recover: ${why}\n${replica.log().slice(-2_000)}`)
}

/** Returns the faults found. */
async function tryOnce(replica: Replica, token: string): Promise<string> {
  const name = `recovery-${replica.at}`
  const mark = `${name}-${++marks}`
  const session: Session = { replica: replica.at, transport: 'event stream', start: 'now', frames: [], malformed: [] }
  const stream = openStream(session, { url: replica.url, token, path: `${collection}/${name}` })
  try {
    while (session.openedAt === undefined && session.end === undefined) await sleep(pollMs)
    if (session.end !== undefined) return `a watch ends: ${session.end}`
    const body = { metadata: { name }, spec: { mark } }
    const question = { url: replica.url, token, method: 'PUT', path: `${collection}/${name}`, body }
    let answer = await ask(question)
    if (answer.status === 404) answer = await ask({ ...question, method: 'POST', path: collection })
    if (answer.status !== 200 && answer.status !== 201) return `a write is answered ${answer.status} ${answer.text}`
    const deadline = performance.now() + frameMs
    while (performance.now() < deadline && session.end === undefined) {
      if (session.frames.some((frame) => isEvent(frame) && frame.object.spec['mark'] === mark)) return ''
      await sleep(pollMs)
    }
    return `a watch does not show a write: ${session.end ?? 'it is open'}`
  } finally {
    stream.drop()
  }
}
