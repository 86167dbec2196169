import type { RequestInfo } from '@pergola/api'
import { createAuthorize, decide } from '../../packages/server/src/access/decisions/authorize.ts'
import { createRoleBook, type HeldRoles, type RoleBook } from '../../packages/server/src/access/decisions/role-book.ts'
import type { RoleDefinition } from '../../packages/server/src/access/decisions/role-graph.ts'
import { ruleCovers } from '../../packages/server/src/access/decisions/rule-matches.ts'
import { median, quantile, spread } from '../measure/statistics.ts'
import { memoryNow } from './heap.ts'
import type { Part } from '../measure/part.ts'
import { createDice, pluginOf, randomRequests, randomRoles, roleCount, rulesPerRole } from './policy.ts'

const heldCount = 10
/** Few enough to stay in the CPU cache, like a request that was just read. */
const requestCount = 2_000
const passesPerRound = 10
const warmUpRounds = 5
/** Few enough for the cache of compiled role sets. */
const setCount = 200
/** Decisions per timing, because one is shorter than the clock resolution. */
const batchSize = 100
const p50Bar = 500
const ratioBar = 15
const caller = { kind: 'user', name: 'ann', uid: '1', via: 'token' } as const

type Operation = (request: RequestInfo) => boolean

/** Results of one round, in nanoseconds per decision. */
interface Round {
  readonly p50: number
  readonly p99: number
  readonly allowed: number
}

/**
 * Decisions with compiled roles compared with a scan of all rules. The scan is well written: it has all rules in one list,
 * without invalid ones, and stops at the first match. Medians of interleaved rounds.
 */
export const decisions: Part = async ({ quick }) => {
  const rounds = quick ? 7 : 21
  const dice = createDice(20)
  const roles = randomRoles(dice)
  const book = createRoleBook(roles, { pluginOf })
  const held = holdSome(book, dice)
  const rules = book.effectiveRules(held.roles.map(({ name }) => name))
  const requests = randomRequests(
    dice,
    rules.map(({ rule }) => rule),
    requestCount,
  )
  const scan: Operation = (request) => {
    const plugin = request.kind === 'resource' ? pluginOf(request.group) : undefined
    return rules.some(({ rule }) => ruleCovers(rule, request, plugin))
  }
  const operations: readonly (readonly [name: string, operation: Operation])[] = [
    ['a decision', (request) => decide(held, caller, request).allowed],
    ['reading every rule', scan],
  ]
  const measured = operations.map(([name]) => ({ name, rounds: [] as Round[] }))
  for (let round = 0; round < warmUpRounds; round++) {
    for (const [, operation] of operations) measureRound(operation, requests)
  }
  for (let round = 0; round < rounds; round++) {
    const turns = [...operations.entries()]
    for (const [at, [, operation]] of round % 2 === 0 ? turns : turns.toReversed()) {
      measured[at]?.rounds.push(measureRound(operation, requests))
    }
  }

  const share = (100 * (measured[0]?.rounds[0]?.allowed ?? 0)) / (passesPerRound * requestCount)
  console.log(
    `${roleCount} roles of ${rulesPerRole} rules, ${heldCount} held: ${rules.length} rules count; ${share.toFixed(0)} % of the requests are allowed\n`,
  )
  row(`ns a decision, ${batchSize} at a time`, ['p50', 'spread', 'p99', 'bar'])
  for (const [at, { name, rounds: all }] of measured.entries()) {
    const p50s = all.map(({ p50 }) => p50)
    const p99 = median(all.map((one) => one.p99))
    row(name, [median(p50s).toFixed(0), spread(p50s), p99.toFixed(0), at === 0 ? `< ${p50Bar}` : ''])
  }
  const awaited = await measureAwaited(held, requests)
  row('a decision that is waited for', [awaited.toFixed(0), '', '', ''])

  const [ours, naive] = measured
  const ratios = ours?.rounds.map(({ p50 }, round) => (naive?.rounds[round]?.p50 ?? 0) / p50) ?? []
  const p50 = median(ours?.rounds.map((one) => one.p50) ?? [])
  const ratio = median(ratios)
  row('times faster than reading', [ratio.toFixed(1), spread(ratios), '', `>= ${ratioBar}`])

  printCosts(roles)
  return {
    figure: `p50 ${p50.toFixed(0)} ns a decision, ${ratio.toFixed(0)} times faster than reading every rule`,
    short: [
      ...(p50 < p50Bar ? [] : [`a decision takes ${p50.toFixed(0)} ns`]),
      ...(ratio >= ratioBar ? [] : [`only ${ratio.toFixed(1)} times faster than reading every rule`]),
      ...(ours?.rounds[0]?.allowed === naive?.rounds[0]?.allowed ? [] : ['the two do not decide alike']),
    ],
  }
}

function holdSome(book: RoleBook, dice: (sides: number) => number): HeldRoles {
  const names = new Set<string>()
  while (names.size < heldCount) names.add(`role-${dice(roleCount)}`)
  return book.hold(Array.from(names, (name) => ({ name, binding: `ann-${name}` })))
}

function measureRound(operation: Operation, requests: readonly RequestInfo[]): Round {
  const times: number[] = []
  let allowed = 0
  for (let from = 0; from < passesPerRound * requests.length; from += batchSize) {
    const began = process.hrtime.bigint()
    for (let at = from; at < from + batchSize; at++) {
      const request = requests[at % requests.length]
      if (request && operation(request)) allowed++
    }
    times.push(Number(process.hrtime.bigint() - began) / batchSize)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), allowed }
}

/** The asynchronous call as in the pipeline, although nothing is awaited. */
async function measureAwaited(held: HeldRoles, requests: readonly RequestInfo[]): Promise<number> {
  const authorize = createAuthorize({ rolesOf: () => held })
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    for (const request of requests) await authorize(caller, request)
    times.push(((performance.now() - began) * 1e6) / requests.length)
  }
  return median(times)
}

function printCosts(roles: readonly RoleDefinition[]): void {
  const dice = createDice(7)
  const began = performance.now()
  const book = createRoleBook(roles, { pluginOf })
  const made = performance.now() - began
  // Excludes memory that all sets share.
  book.effectiveRules(roles.map(({ name }) => name))
  const held = Array.from({ length: setCount }, () => holdSome(book, dice))
  const [request] = randomRequests(dice, [], 1)
  if (!request) throw new Error('there is no request')
  const before = memoryNow().heap
  const times = held.map((one) => {
    const start = performance.now()
    one.find(request)
    return performance.now() - start
  })
  const bytes = (memoryNow().heap - before) / setCount
  console.log()
  row('costs', ['p50', 'spread'])
  row('a book of all roles, ms', [made.toFixed(2)])
  row('a set of roles compiled, ms', [median(times).toFixed(3), spread(times)])
  row('memory of a compiled set, KiB', [(bytes / 1024).toFixed(0)])
  // Keeps the sets reachable until here.
  if (held.some(({ roles: some }) => some.length !== heldCount)) throw new Error('a set has lost a role')
}

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(34) + cells.map((cell) => cell.padStart(16)).join(''))
}
