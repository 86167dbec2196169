import { expect, it } from 'vitest'
import type { Replica } from '../server/use-replicas.ts'
import { sumOfUses } from './plugin-uses.ts'

const replica = (id: string, uses?: Replica['uses']) => ({ id, name: `server ${id}`, uses }) as unknown as Replica
const limits = { memoryBytes: 20, scratchBytes: 5, processes: 3 }
const use = (cpu: number) => ({ cpu, memoryBytes: 10, exits: 1, openRequests: 0, requestsPerSecond: 2 })

it('adds up what a plugin uses on all servers, without memory, of which each has its own limit', () => {
  const all = [
    replica('a', { todo: { ...use(0.5), limits } }),
    replica('b', { todo: use(0.25), other: use(9) }),
    replica('c'),
  ]
  expect(sumOfUses(all, 'todo')).toEqual({
    cpu: 0.75,
    requestsPerSecond: 4,
    exits: 2,
    memory: [
      { server: 'a', name: 'server a', bytes: 10, limitBytes: 20 },
      { server: 'b', name: 'server b', bytes: 10, limitBytes: undefined },
    ],
  })
  expect(sumOfUses(all, 'gone')).toBeUndefined()
})
