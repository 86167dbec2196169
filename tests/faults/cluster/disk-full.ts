import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../watch/ask.ts'
import { collection, largeNames } from '../watch/things.ts'
import type { Fault, FaultContext, Injected } from './fault.ts'
import { query } from './installation.ts'

const fillingBytes = 120_000
const refusedSeconds = 30

/** The disk of the database is full until space is freed. */
export const diskFull: Fault = {
  name: 'disk full',
  counted: 'the room that is made',
  needs: 'the right to mount a file system',
  isPossible: ({ pair }) => pair.disk !== undefined,
  inject: fillDisk,
}

async function fillDisk({ installation, random }: FaultContext): Promise<Injected> {
  const { pair } = installation
  const { disk } = pair
  if (!disk) throw new Error('this machine cannot mount a file system')
  disk.fill()
  const problem = await untilRefused(installation, () => disk.fill())
  await sleep(random.whole(500, 3_000))
  disk.empty()
  await untilAnswering(installation)
  const violations = problem ? [] : [`no write was answered with a problem in ${refusedSeconds} s of a full disk`]
  return { since: performance.now(), afterwards: async () => ({ violations }) }
}

/** Without space for its log the database may have exited; then it has to be restarted. */
async function untilAnswering({ pair }: FaultContext['installation']): Promise<void> {
  const isAnswering = () =>
    query(pair.url, 'SELECT 1').then(
      () => true,
      () => false,
    )
  while (!(await isAnswering())) {
    if (!pair.isRunning()) await pair.restart()
    await sleep(50)
  }
}

/** Writes until the disk is full; returns whether the writes are rejected with the right error. */
async function untilRefused({ replicas, token }: FaultContext['installation'], fill: () => void): Promise<boolean> {
  const deadline = performance.now() + refusedSeconds * 1000
  for (let at = 0; performance.now() < deadline; at++) {
    const { url } = replicas[at % replicas.length] ?? { url: '' }
    const name = largeNames[at % largeNames.length] ?? ''
    const body = { metadata: { name }, spec: { filling: randomBytes(fillingBytes).toString('base64') } }
    const { status, text } = await ask({ url, token, method: 'PUT', path: `${collection}/${name}`, body })
    if (status >= 500 && isProblem(text)) return true
    fill()
  }
  return false
}

function isProblem(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { readonly reason?: unknown }).reason === 'string'
  } catch {
    return false
  }
}
