import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { away } from './connection.ts'
import { liveState, useLiveLink } from './live-state.ts'

const scope = () => {
  const one = effectScope()
  const link = one.run(useLiveLink)
  if (!link) throw new Error('the scope has ended')
  return { link, end: () => one.stop() }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  away.value = undefined
  vi.useRealTimers()
})

it('a page without a watch has no live state, nor before the first answer', () => {
  expect(liveState.value).toBeUndefined()
  const { end } = scope()
  expect(liveState.value).toBeUndefined()
  end()
})

it('one lost watch is enough to resume; its end or a refusal no longer counts', () => {
  const [one, other] = [scope(), scope()]
  one.link.connected()
  other.link.connected()
  expect(liveState.value?.state).toBe('live')
  other.link.lost()
  expect(liveState.value?.state).toBe('resuming')
  other.link.refused()
  expect(liveState.value?.state).toBe('live')
  one.end()
  other.end()
  expect(liveState.value).toBeUndefined()
})

it('a host that is away counts as a lost connection', () => {
  const { link, end } = scope()
  link.connected()
  away.value = { since: Date.now(), isStopping: false }
  expect(liveState.value?.state).toBe('resuming')
  end()
})
