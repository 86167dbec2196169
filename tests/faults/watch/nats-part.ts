import { setTimeout as sleep } from 'node:timers/promises'
import { startNatsCluster, type NatsServer } from '@pergola/test-servers'
import { ask } from './ask.ts'
import { openLink, type Link } from './link.ts'
import type { Replica } from './replica.ts'

/** Transport of changes to the replicas; `mixed` is a cluster during a migration. */
export const transports = ['postgres', 'nats', 'mixed'] as const
export type Transport = (typeof transports)[number]

const serverCount = 3
const healedSeconds = 90

/** Three NATS servers with a separate link for every replica. */
export interface NatsPart extends AsyncDisposable {
  readonly servers: readonly NatsServer[]
  /** Servers that are down. */
  readonly down: Set<NatsServer>
  /** Environment of a replica. */
  connect(at: number): Promise<Readonly<Record<string, string>>>
  /** All links between a replica and NATS. */
  links(at: number): readonly Link[]
  /** Starts all servers and opens all links. */
  heal(): Promise<void>
}

export async function startNatsPart(): Promise<NatsPart> {
  await using running = new AsyncDisposableStack()
  const servers = await startNatsCluster(serverCount)
  for (const server of servers) running.use(server)
  const links = new Map<number, readonly Link[]>()
  const down = new Set<NatsServer>()
  const moved = running.move()
  return {
    servers,
    down,
    connect: async (at) => {
      const own = await Promise.all(servers.map(() => openLink()))
      for (const [number, link] of own.entries()) link.target = moved.use(link) && servers[number]?.port
      links.set(at, own)
      return {
        PERGOLA_FEED_TRANSPORT: 'nats',
        PERGOLA_FEED_NATS_URL: own.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
        PERGOLA_FEED_NATS_REPLICAS: String(serverCount),
      }
    },
    links: (at) => links.get(at) ?? [],
    heal: async () => {
      for (const link of [...links.values()].flat()) link.release()
      while (down.size > 0) await sleep(50)
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Waits until every NATS replica gets its changes from NATS again; otherwise a round tests only the fallback to the log. */
export async function untilByNats(part: NatsPart, replicas: readonly Replica[], token: string): Promise<void> {
  const deadline = performance.now() + healedSeconds * 1000
  for (const replica of replicas.filter(({ at }) => part.links(at).length > 0)) {
    for (;;) {
      const state = await feedState(replica, token)
      if (state.startsWith('by NATS')) break
      if (performance.now() > deadline) {
        throw new Error(`replica ${replica.at} does not go back to NATS: ${state}\n${replica.log().slice(-2_000)}`)
      }
      await sleep(100)
    }
  }
}

/** The replica that runs the relay, if one reports it. */
export async function relayOf(replicas: readonly Replica[], token: string): Promise<Replica | undefined> {
  for (const replica of replicas) {
    if (replica.isUp() && (await feedState(replica, token)).includes('carries the log')) return replica
  }
  return undefined
}

async function feedState({ url }: Replica, token: string): Promise<string> {
  const { text } = await ask({ url, token, method: 'GET', path: '/readyz?verbose' })
  return /^\[ok\] +feed +(.*)$/m.exec(text)?.[1] ?? ''
}
