import { decisions } from './authz/decisions.ts'
import type { Part } from './authz/part.ts'

/**
 * Authorization, in parts: decisions by roles that are in memory; what it costs to look up role bindings in a database is
 * a part of its own. One that starts a database belongs behind those that do not, which want the machine quiet.
 */
const parts: readonly Part[] = [decisions]

const quick = process.argv.includes('--quick')
const figures: string[] = []
const short: string[] = []
for (const part of parts) {
  const outcome = await part({ quick })
  figures.push(outcome.figure)
  short.push(...outcome.short)
}
const verdict = short.length === 0 ? 'every bar is met' : `${short.length} bars are short: ${short.join('; ')}`
console.log(`\nauthz: ${[...figures, verdict].join('; ')}`)
process.exitCode = short.length === 0 ? 0 : 1
