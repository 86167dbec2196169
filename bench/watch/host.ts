import { createDatabase, startNats, startPostgres, type NatsServer } from '@pergola/test-servers'
import { startPergola, type PergolaProcess } from '../../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import { cities, group, modelOf, personOf } from '../http/people.ts'
import { marker, markerDigits } from './marker.ts'

export const token = 'pgs_bench-token-bench-token-bench-token'
export const people = `/apis/${group}/v1/people`
/** One of a hundred cities. */
export const ofCity = `${people}?fieldSelector=spec.city%3Dcity-{n}`

/** Replicas on a database of their own, with the model `people`. */
export interface Host extends AsyncDisposable {
  readonly databaseUrl: string
  readonly nats?: NatsServer
  readonly replicas: readonly (PergolaProcess & { readonly address: string })[]
  /** URLs of the replicas, in turn. */
  readonly addresses: readonly string[]
}

export type Transport = 'postgres' | 'nats'

/** `--transport=nats`: the replicas get changes from NATS. */
export const transport: Transport = process.argv.includes('--transport=nats') ? 'nats' : 'postgres'

export interface HostOptions {
  readonly replicas: number
  /** Overrides the command's option. */
  readonly transport?: Transport
  /** NATS URL per replica. */
  readonly natsUrl?: (own: string, replica: number) => string
  /** Database URL per replica. */
  readonly databaseUrl?: (own: string, replica: number) => Promise<string>
}

export async function startHost(options: HostOptions): Promise<Host> {
  const { replicas: count, databaseUrl, transport: way = transport, natsUrl = (own: string) => own } = options
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres('18', { durable: true, settings: ['track_commit_timestamp=on'] }))
  const database = stack.use(await createDatabase(server.url))
  await seedAdministrator(database.url, token)
  const nats = way === 'nats' ? stack.use(await startNats()) : undefined
  const replicas = []
  for (let at = 0; at < count; at++) {
    const url = (await databaseUrl?.(database.url, at)) ?? database.url
    const replica = stack.use(
      startPergola({
        env: {
          PERGOLA_DATABASE_URL: url,
          PERGOLA_LOG_LEVEL: 'warn',
          PERGOLA_WATCH_MAX: '20000',
          PERGOLA_WATCH_MAX_PER_USER: '20000',
          ...(nats && { PERGOLA_FEED_TRANSPORT: 'nats', PERGOLA_FEED_NATS_URL: natsUrl(nats.url, at) }),
        },
      }),
    )
    replicas.push({ ...replica, address: await replica.url() })
  }
  const addresses = replicas.map(({ address }) => address)
  await call(addresses[0] ?? '', 'POST', '/apis/plugin.platform.run/v1alpha1/models', modelOf('people', 'Person'))
  for (const address of addresses) await untilServed(address)
  if (nats) for (const address of addresses) await untilByNats(address)
  const running = stack.move()
  return {
    databaseUrl: database.url,
    ...(nats && { nats }),
    replicas,
    addresses,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function untilServed(address: string): Promise<void> {
  for (;;) {
    const { status } = await fetch(`${address}${people}?size=1`, { headers: { authorization: `Bearer ${token}` } })
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** State of a check in `/readyz?verbose`. */
export async function feedState(address: string): Promise<string> {
  const answer = await fetch(`${address}/readyz?verbose`, { headers: { authorization: `Bearer ${token}` } })
  return /feed +(.*)/.exec(await answer.text())?.[1] ?? ''
}

async function untilByNats(address: string): Promise<void> {
  while (!(await feedState(address)).startsWith('by NATS')) await new Promise((resolve) => setTimeout(resolve, 100))
}

export interface Called {
  readonly status: number
  readonly body: Record<string, unknown>
}

export async function call(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  as: string = token,
): Promise<Called> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', origin: address },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return { status: response.status, body: JSON.parse(text || '{}') as Record<string, unknown> }
}

let written = 0

export const nameOf = (number: number): string => `w-${number}`

/** A person with its number, which a reader finds in the bytes; cities alternate. */
export function nextPerson(): object {
  const person = personOf(written++)
  return {
    ...person,
    metadata: { ...person.metadata, name: nameOf(written) },
    spec: {
      ...person.spec,
      email: `w${written}@example.com`,
      about: `${marker}${String(written).padStart(markerDigits, '0')} ${'x'.repeat(250)}`,
    },
  }
}

export { cities }
