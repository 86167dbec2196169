import type { Readable } from 'node:stream'
import type { LineLog } from './line-log.ts'

/** Output budget of a plugin: average rate, and burst after it was quiet. */
export const linesPerSecond = 200
const burstLines = 1_000
export const bytesPerSecond = 256 * 1024
const burstBytes = 1024 * 1024
/** A stream over budget is not read for this long; then one chunk is read, at most the content of a pipe (64 KiB). */
const pauseMs = 100
const reportMs = 1_000
const lineBreak = 10

/** Reads what a plugin writes. Disposing it stops reading, even if another process still holds the pipe. */
export function followOutput(streams: readonly Readable[], log: LineLog, now = () => performance.now()): Disposable {
  const budget = createBudget(now)
  const dropped = createDropped((line) => log.write(`${line}\n`))
  for (const stream of streams) {
    const read = createReader(budget, dropped, log)
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      if (read(chunk)) return
      stream.pause()
      setTimeout(() => stream.resume(), pauseMs).unref()
    })
  }
  return {
    [Symbol.dispose]: () => {
      for (const stream of streams) stream.destroy()
      log.end()
      dropped.report()
    },
  }
}

type Budget = ReturnType<typeof createBudget>

/** Both streams of a plugin share it. */
function createBudget(now: () => number) {
  let lines = burstLines
  let bytes = burstBytes
  let at = now()
  return {
    /** How many bytes of the chunk, whole lines or all of it, fit the budget; deducts them. */
    use: (chunk: Buffer): number => {
      const seconds = (now() - at) / 1000
      at += seconds * 1000
      lines = Math.min(burstLines, lines + seconds * linesPerSecond)
      bytes = Math.min(burstBytes, bytes + seconds * bytesPerSecond)
      let used = 0
      while (used < chunk.length && lines >= 1 && bytes > 0) {
        const found = chunk.indexOf(lineBreak, used)
        const end = found < 0 ? chunk.length : found + 1
        if (found >= 0) lines--
        bytes -= end - used
        used = end
      }
      return used
    },
  }
}

type Dropped = ReturnType<typeof createDropped>

/** Counts dropped output; reports it once a second. */
function createDropped(say: (line: string) => void) {
  let lines = 0
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    clearTimeout(timer)
    timer = undefined
    if (bytes === 0) return
    const what = `${lines.toLocaleString('en')} lines (${bytes.toLocaleString('en')} bytes)`
    const limit = `a plugin may write ${linesPerSecond} lines and ${bytesPerSecond / 1024} KiB a second`
    say(`pergola: dropped ${what} in the last second; ${limit}`)
    lines = bytes = 0
  }
  return {
    add: (chunk: Buffer) => {
      bytes += chunk.length
      // Faster than searching for each line break if lines are short.
      for (let at = 0; at < chunk.length; at++) if (chunk[at] === lineBreak) lines++
      timer ??= setTimeout(report, reportMs).unref()
    },
    report,
  }
}

/** Returns false when something was dropped. A line whose beginning was dropped is dropped to its end. */
function createReader(budget: Budget, dropped: Dropped, log: LineLog): (chunk: Buffer) => boolean {
  const decoder = new TextDecoder()
  let isInDropped = false
  return (chunk) => {
    let from = 0
    if (isInDropped) {
      from = chunk.indexOf(lineBreak) + 1
      isInDropped = from === 0
      dropped.add(isInDropped ? chunk : chunk.subarray(0, from))
      if (isInDropped) return false
    }
    const rest = chunk.subarray(from)
    const used = budget.use(rest)
    if (used > 0) log.write(decoder.decode(rest.subarray(0, used), { stream: true }))
    if (used === rest.length) return true
    // The beginning of a line is logged without its end.
    log.end()
    decoder.decode()
    dropped.add(rest.subarray(used))
    isInDropped = rest.at(-1) !== lineBreak
    return false
  }
}
