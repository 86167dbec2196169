import { randomBytes } from 'node:crypto'
import type { Client } from '@pergola/client'
import { errorLine } from './error-text.ts'
import type { ClientBy } from './model-client.ts'

/** Runs a controller or schedule; the requests of its clients belong to its trace, if this run is traced. */
export type TraceRun = <Result>(
  name: string,
  clientBy: ClientBy,
  run: (clientBy: ClientBy) => Promise<Result>,
) => Promise<Result>

export const untraced: TraceRun = (_name, clientBy, run) => run(clientBy)

const reportMs = 5_000
const mostErrorLength = 1_000

/** Traces a share of the runs, and tells the host of them. */
export function traceShare(share: number, client: Client): TraceRun {
  return async (name, clientBy, run) => {
    const traceparent = newTrace(share)
    if (traceparent === undefined) return run(clientBy)
    const span = { name, traceparent, start: Date.now() }
    try {
      const result = await run((how) => clientBy({ ...how, headers: { ...how.headers, traceparent } }))
      void report(client, span)
      return result
    } catch (error) {
      void report(client, { ...span, error: errorLine(error).slice(0, mostErrorLength) })
      throw error
    }
  }
}

interface Span {
  readonly name: string
  readonly traceparent: string
  readonly start: number
  readonly error?: string
}

async function report(client: Client, { name, ...span }: Span): Promise<void> {
  try {
    const body = { ...span, end: Date.now() }
    await client.call({ method: 'PUT', path: `/pergola/spans/${name}`, body, timeoutMs: reportMs })
  } catch {
    // A run without a span.
  }
}

/** The `traceparent` of a new trace. The host chooses by the id in the same way, so it records the requests of the run, too. */
function newTrace(share: number): string | undefined {
  const ids = randomBytes(24)
  const chance = [4, 8, 12].reduce((sum, at) => sum ^ ids.readUInt32BE(at), ids.readUInt32BE(0)) >>> 0
  if (chance >= share * 2 ** 32) return undefined
  const id = ids.toString('hex')
  return `00-${id.slice(0, 32)}-${id.slice(32)}-01`
}
