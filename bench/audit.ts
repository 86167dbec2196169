import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestInfo } from '../packages/api/src/request-info.ts'
import { createAuditLog } from '../packages/server/src/audit/audit-log.ts'
import { createRequestAudit } from '../packages/server/src/audit/request-audit.ts'
import type { IncomingRequest } from '../packages/server/src/call/call.ts'
import { systemClock } from '../packages/server/src/base/clock.ts'
import { createLog } from '../packages/server/src/base/log.ts'
import { median, spread } from './measure/statistics.ts'

/** Cost of an audit line: CPU of the serving thread and of the whole process. */
const rounds = process.argv.includes('--quick') ? 10 : 40
/** Less than the queue limit, so that no line is dropped. */
const lines = 5_000
const allowed = 10

const head = { method: 'PUT', target: '/apis/todo.example.com/v1/todos/milk?dryRun=false', headers: {} }
const info = requestInfo(head)
const request: IncomingRequest = {
  ...head,
  id: 'a3b1c2d4-0000-4000-8000-000000000000',
  query: new URLSearchParams('dryRun=false'),
  address: '198.51.100.1',
  readBody: () => Promise.reject(new Error('there is no body')),
  signal: () => new AbortController().signal,
  note: () => {},
}
const caller = { kind: 'user', name: 'ann', uid: '1', via: 'token', tokenName: 'token-abcdefgh' } as const

const directory = mkdtempSync(join(tmpdir(), 'pergola-bench-audit-'))
const figures: { readonly serving: number; readonly all: number }[] = []
{
  const log = createLog({ level: 'warn', pretty: false, write: (line) => process.stderr.write(line) })
  await using audit = createAuditLog({ file: join(directory, 'audit.log'), clock: systemClock, log })
  const begin = createRequestAudit((entry) => audit.record(entry))
  for (let round = 0; round <= rounds; round++) {
    const before = { serving: process.threadCpuUsage(), all: process.cpuUsage() }
    for (let at = 0; at < lines; at++) {
      const audited = begin(request)
      audited.classified(info)
      audited.identified(caller)
      audited.allowed('todo-edit')
      audited.answered({ status: 200 })
    }
    const serving = perLine(process.threadCpuUsage(before.serving))
    while (audit.counts().waiting > 0) await sleep(5)
    // The first one warms up.
    if (round > 0) figures.push({ serving, all: perLine(process.cpuUsage(before.all)) })
  }
  if (audit.counts().dropped > 0) throw new Error('audit lines were dropped, so the measurement is invalid')
}
rmSync(directory, { recursive: true })

const serving = figures.map((figure) => figure.serving)
const all = figures.map((figure) => figure.all)
console.log(`a line costs its request ${median(serving).toFixed(1)} µs (${spread(serving)}; ${allowed} allowed)`)
console.log(`including the writer    ${median(all).toFixed(1)} µs (${spread(all)})`)
process.exitCode = median(serving) > allowed ? 1 : 0

function perLine({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / lines
}
