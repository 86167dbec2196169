import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Runs the attacks against a server on each engine. Arguments select test files by name.
 * Exits with 0 only if no attack succeeds.
 */
const report = 'node_modules/.cache/security.json'
const words = process.argv.slice(2).filter((word) => word !== '--quick')

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly ancestorTitles: readonly string[]
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

mkdirSync(dirname(report), { recursive: true })
rmSync(report, { force: true })
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'security']
const reporters = ['--reporter=json', `--outputFile=${report}`]
spawnSync(process.execPath, [...vitest, ...reporters, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
const attacks = testResults.flatMap(({ assertionResults }) =>
  assertionResults.map(({ title, ancestorTitles: [engine = '', way = ''], status, failureMessages = [] }) => {
    return { engine, way, title, failed: status !== 'passed', message: failureMessages[0]?.split('\n')[0] ?? status }
  }),
)
for (const { name, message } of testResults) if (message !== '') console.log(`${name}: ${message}`)
for (const { engine, way, title, failed, message } of attacks) {
  if (failed) console.log(`WORKED ${engine}: ${way}: ${title}\n       ${message}`)
}
const ways = Map.groupBy(attacks, ({ way }) => way)
const width = Math.max(0, ...Array.from(ways.keys(), (way) => way.length))
console.log(`\n${'way'.padEnd(width)}  attacks  withstood`)
for (const [way, ofWay] of ways) {
  const withstood = ofWay.filter(({ failed }) => !failed).length
  console.log(`${way.padEnd(width)}  ${String(ofWay.length).padStart(7)}  ${String(withstood).padStart(9)}`)
}
const withstood = attacks.filter(({ failed }) => !failed).length
console.log(`\n${withstood} of ${attacks.length} attacks withstood`)
const unrunnable = testResults.some(({ assertionResults }) => assertionResults.length === 0)
process.exitCode = attacks.length > 0 && withstood === attacks.length && !unrunnable ? 0 : 1
