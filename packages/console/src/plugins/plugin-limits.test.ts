import type { Plugin, PluginLimits } from '@pergola/api'
import { expect, it } from 'vitest'
import type { PluginUse, Replica } from '../server/use-replicas.ts'
import { limitRows } from './plugin-limits.ts'

const mebibyte = 1024 * 1024
const plugin = (spec: { limits?: PluginLimits; needs?: PluginLimits }) =>
  ({ metadata: { name: 'todo' }, spec }) as unknown as Plugin
const replica = (memory: number, limits?: PluginUse['limits']) =>
  ({
    uses: { todo: { memoryBytes: memory * mebibyte, ...(limits && { limits, processes: 2 }) } },
  }) as unknown as Replica
const held = { memoryBytes: 128 * mebibyte, scratchBytes: 1_024 * mebibyte, processes: 32 }

it.each<[string, Plugin, readonly Replica[], object]>([
  [
    'the defaults of servers, beside the most that is used on one',
    plugin({}),
    [replica(30, held), replica(48.4, held)],
    { used: 48, most: 128, by: 'server' },
  ],
  ['what the plugin needs', plugin({ needs: { memory: 128 } }), [replica(1, held)], { most: 128, by: 'plugin' }],
  ['more than it needs', plugin({ needs: { memory: 64 } }), [replica(1, held)], { most: 128, by: 'server' }],
  [
    'what an operator has set, before the plugin has restarted with it',
    plugin({ limits: { memory: 64 }, needs: { memory: 256 } }),
    [replica(1, held)],
    { most: 64, by: 'operator' },
  ],
  [
    'no figures from a server of an earlier version',
    plugin({ needs: { memory: 256 } }),
    [replica(7)],
    { used: 7, most: 256, by: 'plugin' },
  ],
  ['nothing without servers', plugin({}), [], { used: undefined, most: undefined, by: 'server' }],
])('shows %s', (_, of, replicas, memory) => {
  expect(limitRows(of, replicas)[0]).toMatchObject({ limit: 'memory', ...memory })
})

it('has a row for each limit; the size of scratch files is not measured', () => {
  expect(limitRows(plugin({}), [replica(1, held)]).slice(1)).toEqual([
    { limit: 'scratch', used: undefined, most: 1_024, by: 'server' },
    { limit: 'processes', used: 2, most: 32, by: 'server' },
  ])
})
