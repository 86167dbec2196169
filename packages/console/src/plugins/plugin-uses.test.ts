import { expect, it } from 'vitest'
import type { Replica } from '../server/use-replicas.ts'
import { sumOfUses } from './plugin-uses.ts'

const replica = (uses?: Replica['uses']) => ({ uses }) as unknown as Replica
const use = (cpu: number) => ({ cpu, memoryBytes: 10, exits: 1, openRequests: 0, requestsPerSecond: 2 })

it('adds up what a plugin uses on all servers', () => {
  const all = [replica({ todo: use(0.5) }), replica({ todo: use(0.25), other: use(9) }), replica()]
  expect(sumOfUses(all, 'todo')).toEqual({ cpu: 0.75, memoryBytes: 20, requestsPerSecond: 4, exits: 2 })
  expect(sumOfUses(all, 'gone')).toBeUndefined()
})
