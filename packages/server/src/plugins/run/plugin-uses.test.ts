import { expect, test } from 'vitest'
import { createPluginUses, pluginRates } from './plugin-uses.ts'

const processOf = (use: { bytes: number; cpuSeconds: number }) => ({
  use: () => ({ processes: 1, ...use }),
  link: { openRequests: () => 2 } as never,
})

const limits = { memoryBytes: 1_000, scratchBytes: 2_000, processes: 4 }

test('what a plugin uses is that of its processes; CPU time of ended ones still counts', () => {
  using uses = createPluginUses()
  const first = { bytes: 100, cpuSeconds: 1 }
  const followed = uses.follow('todo', processOf(first), limits)
  uses.follow('todo', processOf({ bytes: 50, cpuSeconds: 4 }), limits)
  expect(uses.read().get('todo')).toMatchObject({
    memoryBytes: 150,
    processes: 2,
    limits: { memoryBytes: 2_000, scratchBytes: 4_000, processes: 8 },
    cpuSeconds: 5,
    openRequests: 4,
    exits: 0,
  })
  first.cpuSeconds = 2
  followed[Symbol.dispose]()
  uses.exited('todo')
  expect(uses.read().get('todo')).toMatchObject({ memoryBytes: 50, limits, cpuSeconds: 6, openRequests: 2, exits: 1 })
  uses.forget('todo')
  expect(uses.read().size).toBe(0)
})

test('rates are those since the last reading', () => {
  using uses = createPluginUses()
  let now = 0
  const use = { bytes: 100, cpuSeconds: 1 }
  const followed = uses.follow('todo', processOf(use), limits)
  const rates = pluginRates(uses.read, () => now)
  now = 2_000
  use.cpuSeconds = 1.5
  for (const seconds of [0.01, 0.03]) uses.answered('todo', seconds)
  expect(rates()['todo']).toEqual({
    memoryBytes: 100,
    processes: 1,
    limits,
    cpu: 0.25,
    exits: 0,
    openRequests: 2,
    requestsPerSecond: 1,
    answerMs: 20,
  })
  now = 4_000
  expect(rates()['todo']).toMatchObject({ cpu: 0, requestsPerSecond: 0 })
  expect(rates()['todo']).not.toHaveProperty('answerMs')
  followed[Symbol.dispose]()
  expect(rates()['todo']).not.toHaveProperty('limits')
})
