import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createAppendFile, isFull } from './append-file.ts'
import { auditLine, type AuditEntry } from './audit-entry.ts'

/** Maximum size of the queue; beyond it, lines are dropped and counted. */
export const usualLimits = { lines: 10_000, bytes: 8_388_608 }
/** Lines that arrive within this time are written together. */
const gatherMs = 20
/** Delay after a failure. */
const retryMs = 1_000
/** Delay when a pipe is full; it may have room soon. */
const fullMs = 50
/** Time limit for writing the rest at shutdown. */
const flushMs = 2_000
/** Minimum interval between warnings in the log. */
const warnEveryMs = 60_000

/** Records who did what. Recording never waits, never throws, and counts every line that it drops. */
export interface AuditLog extends AsyncDisposable {
  record(entry: AuditEntry): void
  /** Opens the file again after it was moved. */
  reopen(): void
  counts(): AuditCounts
}

interface AuditCounts {
  readonly written: number
  readonly dropped: number
  readonly waiting: number
}

export interface AuditLogParts {
  readonly file: string
  readonly clock: Clock
  readonly log: Log
  /** Named in every entry. */
  readonly replica?: string
  readonly limits?: { readonly lines: number; readonly bytes: number }
}

export function createAuditLog({ file, clock, log, replica, limits = usualLimits }: AuditLogParts): AuditLog {
  const writer = replica === undefined ? {} : { replica }
  const queue = createLineQueue(limits, clock)
  const target = createAppendFile(file)
  const trouble = createTrouble(file, log)
  let written = 0
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Writes until the queue is empty or an error occurs; returns the delay before the next attempt. */
  const writeAll = async (): Promise<number | undefined> => {
    try {
      await target.ready()
      while (queue.lines.length > 0) {
        const count = await target.append(queue.lines)
        queue.remove(count)
        written += count
      }
      trouble.isOver(queue.dropped())
      return undefined
    } catch (error) {
      if (!isFull(error)) trouble.begins(error instanceof Error ? error.message : String(error))
      return isFull(error) ? fullMs : retryMs
    }
  }
  const runOnce = async () => {
    const again = await writeAll()
    running = undefined
    if (queue.lines.length > 0) start(again ?? gatherMs)
  }
  const run = () => {
    timer = undefined
    running ??= runOnce()
  }
  const start = (afterMs: number) => {
    if (running || timer) return
    timer = setTimeout(run, afterMs).unref()
  }
  // Opened at the start, so that an error is reported then and not with the first line.
  run()

  return {
    record: (entry) => {
      if (!queue.add(auditLine(clock.now(), { ...writer, ...entry })))
        trouble.begins('the queue is full: writes to the file or pipe are too slow')
      start(gatherMs)
    },
    reopen: () => {
      target.reopen()
      start(0)
    },
    counts: () => ({ written, dropped: queue.dropped(), waiting: queue.lines.length }),
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer)
      const deadline = performance.now() + flushMs
      while (running || queue.lines.length > 0) {
        run()
        await Promise.race([running, sleep(Math.max(0, deadline - performance.now()), undefined, { ref: false })])
        if (performance.now() >= deadline) break
        if (queue.lines.length > 0) await sleep(fullMs)
      }
      clearTimeout(timer)
      const lost = queue.dropped() + queue.lines.length
      log[lost > 0 ? 'warn' : 'info']({ file, written, lost }, 'the audit log is closed')
      await Promise.race([target[Symbol.asyncDispose](), sleep(fullMs, undefined, { ref: false })])
    },
  }
}

interface LineQueue {
  /** Oldest first. */
  readonly lines: readonly Buffer[]
  /** Returns whether there was room. */
  add(line: Buffer): boolean
  remove(count: number): void
  dropped(): number
}

function createLineQueue(limits: { readonly lines: number; readonly bytes: number }, clock: Clock): LineQueue {
  const lines: Buffer[] = []
  let bytes = 0
  let dropped = 0
  /** Dropped lines that are not reported yet. */
  let missingInParams = 0
  let since = 0
  const push = (line: Buffer) => {
    lines.push(line)
    bytes += line.length
  }
  return {
    lines,
    add: (line) => {
      const fits = lines.length === 0 || (lines.length < limits.lines && bytes + line.length <= limits.bytes)
      // After a gap, the report of the gap comes first.
      if (fits && missingInParams === 0) {
        push(line)
        return true
      }
      if (missingInParams === 0) since = clock.now()
      dropped++
      missingInParams++
      return false
    },
    remove: (count) => {
      for (const line of lines.splice(0, count)) bytes -= line.length
      if (missingInParams === 0 || count === 0) return
      push(auditLine(clock.now(), { event: 'dropped', count: missingInParams, since: new Date(since).toISOString() }))
      missingInParams = 0
    },
    dropped: () => dropped,
  }
}

/** Logs when audit lines cannot be written, and when they can again; with limited frequency. */
function createTrouble(file: string, log: Log) {
  let isOn = false
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    begins: (why: string) => {
      if (performance.now() - saidAt < warnEveryMs) return
      isOn = true
      saidAt = performance.now()
      log.warn(
        { file, why },
        'cannot write the audit log; lines are queued, and dropped and counted when the queue is full',
      )
    },
    isOver: (dropped: number) => {
      if (!isOn) return
      isOn = false
      log.info({ file, dropped }, 'the audit log is writable again')
    },
  }
}
