import { setTimeout as sleep } from 'node:timers/promises'
import type { Link } from '../watch/link.ts'
import { always, type Fault, type FaultContext, type Injected } from './fault.ts'

/** Offset of a wrong clock, in seconds. */
const jumpSeconds: readonly [number, number] = [30, 1_500]

/** Faults of replicas, their connections and the processes in between; the database keeps running. */
export const processFaults: readonly Fault[] = [
  {
    name: 'replica killed',
    counted: 'its death',
    isPossible: always,
    inject: async ({ installation, random }) => {
      random.pick(installation.replicas).signal('SIGKILL')
      return now()
    },
  },
  {
    name: 'replica stopped',
    counted: 'its waking',
    isPossible: always,
    inject: async ({ installation, random }) => {
      const replica = random.pick(installation.replicas)
      replica.signal('SIGSTOP')
      await sleep(random.whole(1_000, 6_000))
      replica.signal('SIGCONT')
      return now()
    },
  },
  {
    name: 'clients cut off',
    counted: 'the cut',
    isPossible: always,
    inject: onLink(({ clients }) => clients, cut),
  },
  {
    name: 'database link cut',
    counted: 'the cut',
    isPossible: always,
    inject: onLink(({ database }) => database, cut),
  },
  {
    name: 'database link held up',
    counted: 'its opening',
    isPossible: always,
    inject: onLink(({ database }) => database, holdUp),
  },
  {
    name: 'clock jumped',
    counted: 'the jump',
    needs: 'a C compiler',
    isPossible: ({ clocks }) => clocks !== undefined,
    inject: async ({ installation: { clocks, replicas }, random }) => {
      const { at } = random.pick(replicas)
      clocks?.move(at, random.whole(...jumpSeconds) * (random.chance(0.5) ? 1 : -1))
      const since = performance.now()
      return {
        since,
        afterwards: async () => {
          await sleep(random.whole(1_000, 4_000))
          clocks?.move(at, 0)
          return {}
        },
      }
    },
  },
  {
    name: 'pooler killed',
    counted: 'its start',
    isPossible: ({ pooler }) => pooler !== undefined,
    inject: async ({ installation: { pooler }, random }) => {
      await pooler?.kill()
      await sleep(random.whole(0, 2_000))
      await pooler?.restart()
      return now()
    },
  },
  {
    name: 'NATS server killed',
    counted: 'its death',
    isPossible: ({ nats }) => nats !== undefined,
    inject: async ({ installation: { nats }, random }) => {
      if (!nats) throw new Error('there is no NATS here')
      const server = random.pick(nats.servers)
      await server.kill()
      const since = performance.now()
      return {
        since,
        afterwards: async () => {
          await server.restart()
          return {}
        },
      }
    },
  },
]

function now(): Injected {
  return { since: performance.now() }
}

type Harm = (link: Link, random: FaultContext['random']) => Promise<void>

function onLink(choose: (replica: FaultContext['installation']['replicas'][number]) => Link, harm: Harm) {
  return async ({ installation, random }: FaultContext): Promise<Injected> => {
    await harm(choose(random.pick(installation.replicas)), random)
    return now()
  }
}

async function cut(link: Link): Promise<void> {
  link.cut()
}

async function holdUp(link: Link, random: FaultContext['random']): Promise<void> {
  link.hold()
  await sleep(random.whole(500, 5_000))
  if (random.chance(0.5)) link.cut()
  link.release()
}
