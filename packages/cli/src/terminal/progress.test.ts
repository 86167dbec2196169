import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showingProgress } from './progress.ts'
import { createTerminal } from './terminal.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function terminalWith(isTTY: boolean) {
  const screen = Object.assign(new PassThrough(), { isTTY })
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream
  const stderr = screen as unknown as NodeJS.WriteStream
  const terminal = createTerminal({ stdin: process.stdin, stdout, stderr, variables: {} })
  return { terminal, told: () => String(screen.read() ?? '') }
}

test('on a terminal, progress appears after two seconds and is cleared at the end', () => {
  const { terminal, told } = terminalWith(true)
  {
    using _ = showingProgress(terminal, () => '3 of 10')
    vi.advanceTimersByTime(1_900)
    expect(told()).toBe('')
    vi.advanceTimersByTime(300)
    expect(told()).toContain('  3 of 10')
  }
  expect(told()).toBe('\r\u001b[K')
  vi.advanceTimersByTime(10_000)
  expect(told()).toBe('')
})

test('without a terminal, progress is printed every ten seconds', () => {
  const { terminal, told } = terminalWith(false)
  using _ = showingProgress(terminal, () => '3 of 10')
  vi.advanceTimersByTime(9_000)
  expect(told()).toBe('')
  vi.advanceTimersByTime(12_000)
  expect(told()).toBe('  3 of 10\n  3 of 10\n')
})
