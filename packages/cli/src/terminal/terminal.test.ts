import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createTerminal } from './terminal.ts'

/** A stream that accepts the next chunk when the test says so. */
function slowStream({ isTTY = false } = {}) {
  const taken: string[] = []
  const waiting: (() => void)[] = []
  const stream = new Writable({
    highWaterMark: 4,
    write: (chunk, _encoding, done) => {
      taken.push(String(chunk))
      waiting.push(done)
    },
  })
  return {
    taken,
    take: () => waiting.shift()?.(),
    stream: Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream,
  }
}

const { stdin } = process

test('a write waits until the stream drains', async () => {
  const { stream, take } = slowStream()
  const terminal = createTerminal({ stdin, stdout: stream, stderr: slowStream().stream, variables: {} })
  let isWritten = false
  const writing = terminal.write('a long line').then(() => (isWritten = true))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isWritten).toBe(false)
  take()
  await writing
  expect(isWritten).toBe(true)
})

test.each([
  ['at a terminal', { isTTY: true }, {}, true],
  ['not without a terminal', { isTTY: false }, {}, false],
  ['not with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
  ['not on a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
])('there are colours %s', (_what, kind, variables, isPainted) => {
  const { stream } = slowStream(kind)
  const { paint, paintStatus } = createTerminal({ stdin, stdout: stream, stderr: stream, variables })
  expect([paint('red', 'x'), paintStatus('red', 'x')]).toEqual(Array(2).fill(isPainted ? '\u001b[31mx\u001b[39m' : 'x'))
})

test('a message replaces the progress line', () => {
  const screen = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = screen as unknown as NodeJS.WriteStream
  const terminal = createTerminal({ stdin, stdout: slowStream().stream, stderr, variables: {} })
  terminal.showProgress('3 of 10')
  terminal.tell(['done'])
  expect(String(screen.read())).toBe('\r\u001b[K3 of 10\r\u001b[Kdone\n')
})

test('control characters in printed text are escaped, except for own colours, tabs and line breaks', async () => {
  const screen = Object.assign(new PassThrough(), { isTTY: true })
  const stream = screen as unknown as NodeJS.WriteStream
  const terminal = createTerminal({ stdin, stdout: stream, stderr: stream, variables: {} })
  const text = `a\tb\nc\u001b[2J\u001b]0;title\u0007\u202e${terminal.paint('red', 'd')}`
  const shown = 'a\tb\nc\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{202e}\u001b[31md\u001b[39m'
  await terminal.print([text])
  terminal.tell([text])
  await terminal.hint(text)
  expect(String(screen.read())).toBe(`${shown}\n${shown}\n  next      ${shown}\n`)
})
