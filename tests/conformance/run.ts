import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readReport } from '../../tools/conformance/report.ts'
import { readSentences, testFiles, type Sentence } from '../../tools/conformance/sentences.ts'
import { judge, type Verdict } from '../../tools/conformance/verdict.ts'

/**
 * Tests every promise against a server on each engine, or only on `TEST_ENGINE`. `--list` only lists the promises without a
 * test; any other argument selects the test files whose name contains it. Exits with 0 only when every counted promise passes.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const report = 'node_modules/.cache/conformance.json'
const engines = ['SQLite', 'PostgreSQL 18'].filter((engine) => (process.env['TEST_ENGINE'] ?? engine) === engine)
const filesOf = testFiles()
const sentences = readSentences()

if (values.list) {
  const missing = sentences.filter(({ number, waitsFor }) => waitsFor === undefined && !filesOf.has(number))
  showSentences('promises without a test', missing)
  console.log(`${missing.length} without a test`)
  process.exitCode = missing.length === 0 ? 0 : 1
} else {
  rmSync(report, { force: true })
  const reporters = ['--reporter=json', `--outputFile=${report}`]
  const projects = ['--project', 'conformance', '--project', 'security']
  const files = positionals.length > 0 ? positionals : new Set([...filesOf.values()].flat())
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...reporters, ...files]
  spawnSync(process.execPath, vitest, { stdio: ['ignore', 'ignore', 'inherit'] })
  const { outcomes, unrunnable } = readReport(report)
  for (const why of unrunnable) console.log(why)
  const verdict = judge(sentences, outcomes, engines)
  show(verdict)
  const complete = verdict.passed === verdict.counted && verdict.unpromised.length === 0
  process.exitCode = complete && verdict.failures.length === 0 ? 0 : 1
}

function show(verdict: Verdict): void {
  for (const { engine, title, message = '' } of verdict.failures)
    console.log(`FAILED ${engine}: ${title}\n       ${message}`)
  for (const title of verdict.unpromised) console.log(`test without a promise: ${title}`)
  showSentences('promises without a test', verdict.untested)
  const width = Math.max(...verdict.sections.map(({ section }) => section.length))
  console.log(`\n${'section'.padEnd(width)}  promises  tested  passed`)
  for (const { section, promises, tested, passed } of verdict.sections) {
    const figures = [String(promises).padStart(8), String(tested).padStart(6), String(passed).padStart(6)]
    console.log(`${section.padEnd(width)}  ${figures.join('  ')}`)
  }
  console.log(`\non ${engines.join(' and ')}\n${verdict.passed} of ${verdict.counted} sentences`)
}

function showSentences(heading: string, list: readonly Sentence[]): void {
  if (list.length > 0) console.log(`\n${heading}:`)
  for (const { number, text } of list) console.log(`  ${number.padEnd(9)} ${text}`)
}
