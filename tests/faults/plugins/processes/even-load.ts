import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Sends requests at a constant rate, independent of responses, in a separate process, so that packing and polling do not
 * disturb it. On a message, reports the outcome of the requests since the last message.
 */
const [, , url = '', token = '', perSecond = ''] = process.argv
const objects = '/apis/good.example.com/v1alpha1/things'
const api = '/apis/api.good.example.com/v1alpha1/echo'
const tickMs = 2
/** Long, because slowness of a busy machine is not a failure. */
const answerMs = 120_000
const readObjects = 200
const shownFailures = 5

interface Stretch {
  readonly latencies: number[]
  readonly failures: string[]
  underWay: number
}

const newStretch = (): Stretch => ({ latencies: [], failures: [], underWay: 0 })
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
let stretch = newStretch()

process.on('disconnect', () => process.exit())
process.on('message', () => {
  const ended = stretch
  stretch = newStretch()
  void tell(ended)
})
for (let at = 0; at < readObjects; at++) {
  const failure = await send('POST', objects, 201, thing(`read-${at}`))
  if (failure !== undefined) throw new Error(failure)
}
process.send?.('ready')
const began = performance.now()
for (let offered = 0; ; await sleep(tickMs)) {
  for (; offered < ((performance.now() - began) / 1000) * Number(perSecond); offered++) {
    void offer(offered, began + (offered * 1000) / Number(perSecond))
  }
}

/** Measured from the due time, so that a slow client counts too. */
async function offer(at: number, dueAt: number): Promise<void> {
  const own = stretch
  own.underWay++
  const failure = await sendNumber(at)
  own.latencies.push(performance.now() - dueAt)
  if (failure !== undefined) own.failures.push(failure)
  own.underWay--
}

/** Of twenty requests: ten gets, three creates, three lists, four calls of the custom API. */
function sendNumber(at: number): Promise<string | undefined> {
  const turn = (at * 7) % 20
  if (turn < 10) return send('GET', `${objects}/read-${(at * 31) % readObjects}`, 200)
  if (turn < 13) return send('POST', objects, 201, thing(`made-${at}`))
  if (turn < 16) return send('GET', `${objects}?size=20&fieldSelector=spec.state%3Dopen`, 200)
  return send('GET', api, 200)
}

function thing(name: string): object {
  return { metadata: { name }, spec: { title: `about ${name}`, state: 'open' } }
}

/** Undefined for a success. */
function send(method: string, path: string, wanted: number, body?: object): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(`${method} ${path}: ${error.message}`)
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const sent = request(`${url}${path}`, { method, agent, headers, signal: AbortSignal.timeout(answerMs) })
    sent.on('error', fail)
    sent.on('response', (response) => {
      response.on('error', fail)
      response.on('end', () =>
        resolve(response.statusCode === wanted ? undefined : `${method} ${path}: ${response.statusCode}`),
      )
      response.resume()
    })
    sent.end(body && JSON.stringify(body))
  })
}

async function tell(ended: Stretch): Promise<void> {
  while (ended.underWay > 0) await sleep(tickMs)
  const { latencies, failures } = ended
  process.send?.({ latencies, failed: failures.length, failures: failures.slice(0, shownFailures) })
}
