import { readFileSync, rmSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { runCommand, type CommandResult } from './run-command.ts'
import { sampleOf } from './sample.ts'

/**
 * Every gate of the repository, and a last line that counts them. The quick ones run side by side; the end of what a failure
 * printed is shown, and none stops the others. `--ci` adds the slower proofs, as samples: each has a command that runs it whole.
 */
interface Gate {
  readonly name: string
  readonly command: string
  /** Where the gate leaves its own count of tests, in vitest's JSON form. */
  readonly report?: string
  /** Runs some files of tests alone. */
  readonly alone?: (files: readonly string[]) => string
}

interface Cases {
  readonly passed: number
  readonly failed: number
  readonly failures: readonly string[]
  readonly failedFiles: readonly string[]
}

/** As much of vitest's JSON report as is read here. */
interface TestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const inCi = process.argv.includes('--ci')
const shownLines = 120
/** So many may be unsteady beside others, which is told by name; more than that is no accident. */
const mostUnsteady = 2
const report = 'node_modules/.cache/tests.json'

const quick: readonly Gate[] = [
  { name: 'types', command: 'npm run -s build' },
  { name: 'format', command: 'npm run -s format:check' },
  { name: 'lint', command: 'npm run -s lint' },
  { name: 'layers', command: 'npm run -s lint:layers' },
  { name: 'dead code', command: 'npm run -s lint:unused' },
  { name: 'docs match code', command: 'npm run -s docs:check' },
  { name: 'documentation site', command: 'npm run -s docs:build' },
]

/** They read what the build has made, and so come after it. */
const built: readonly Gate[] = [{ name: 'public surface', command: 'npm run -s surface -- --check' }]

const [engine, otherEngine] = sampleOf(['SQLite', 'PostgreSQL 18'], 2)

/** Whole lives of hosts in processes of their own, half a minute and more each: they wait, and cover nothing here. */
const longLives = [
  'administer',
  'plugin-upgrade',
  'graceful-stop',
  'plugin-removal',
  'dev',
  'backup',
  'serve',
  'store-checker',
  'cli-codegen',
].map((name) => `tests/end-to-end/${name}.test.ts`)
const lived = inCi ? sampleOf(longLives, 4) : longLives

/**
 * PostgreSQL is in the gate with a pooler or without, lives of plugins are on one engine, and in CI some of the longest lives are
 * lived; `npm test` has everything.
 */
const leftOut = [
  '**/postgres-store-15.test.ts',
  ...sampleOf(['**/postgres-store.test.ts', '**/postgres-store-pooled.test.ts'], 1),
  ...longLives.filter((file) => !lived.includes(file)),
]
const excluded = leftOut.map((file) => `--exclude='${file}'`).join(' ')
const tests: readonly Gate[] = [
  {
    name: 'tests and coverage',
    command: `TEST_PLUGINS_ON='${otherEngine}' npm run -s test:coverage -- ${excluded} --reporter=default --reporter=json --outputFile=${report}`,
    report,
    alone: (files) =>
      `npx vitest run --project '!conformance' --project '!security' --maxWorkers=1 --reporter=default --reporter=json --outputFile=${report} ${files.join(' ')}`,
  },
]

/** The trials of the store whose outcome does not hang on how busy the machine is. */
const trials = ['kill the writer', 'kill the database', 'a stopped lease holder', 'a slow reader of everything']

/** What newcomers type, by itself as with them, since it has a time; `npm run docs:run` has every document. */
const [document] = sampleOf(['README.md', 'docs/tutorial/index.md'], 1)
const documents: readonly Gate[] = [{ name: 'a document runs', command: `npm run -s docs:run -- ${document}` }]

/** In two lanes side by side, since all of them wait a lot. */
const proofs: readonly Gate[] = [
  { name: 'order of changes', command: 'npm run -s faults -- ordering --quick --events=8000' },
  {
    name: 'faults of the store',
    command: `npm run -s faults -- store --quick "--only=${sampleOf(trials, 2).join(',')}"`,
  },
  {
    name: `promises on ${engine}`,
    command: `npm run -s conformance -- --list && TEST_ENGINE='${engine}' npm run -s conformance -- --sample=18`,
  },
]
const otherProofs: readonly Gate[] = [
  { name: 'histories of watches', command: 'npm run -s faults -- watch --quick --seconds=10' },
  { name: 'hostile requests', command: 'npm run -s conformance -- fuzz --quick --seed=11' },
  { name: 'planted faults', command: 'nice npm run -s planted -- gates --sample=3' },
  { name: 'broken promises', command: 'nice npm run -s planted -- conformance --sample=2' },
]

const noCases: Cases = { passed: 0, failed: 0, failures: [], failedFiles: [] }
const count = { passed: 0, failed: 0 }

await together(quick, 2)
await together([...built, ...tests, ...(inCi ? documents : [])], 1)
if (inCi) await Promise.all([together(proofs, 1), together(otherProofs, 1)])
console.log(`\n${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed === 0 ? 0 : 1

async function together(gates: readonly Gate[], lanes: number): Promise<void> {
  const waiting = [...gates]
  const lane = async () => {
    for (let gate = waiting.shift(); gate; gate = waiting.shift()) await pass(gate)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function pass(gate: Gate): Promise<void> {
  const { passed, output, seconds, cases, unsteady } = await lookAgain(gate, await run(gate, gate.command))
  count.passed += cases.passed + (passed ? 1 : 0)
  count.failed += cases.failed + (passed ? 0 : 1)
  const counted = gate.report === undefined ? '' : `  ${cases.passed} tests passed, ${cases.failed} failed`
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${gate.name.padEnd(30)} ${seconds.toFixed(1).padStart(6)} s${counted}`)
  for (const failure of unsteady) console.log(`    passed only when it was run again, alone: ${failure}`)
  if (!passed) console.log([...cases.failures, lastLines(output)].join('\n').replaceAll(/^/gm, '    '))
}

interface Run extends CommandResult {
  readonly cases: Cases
  /** What failed beside others, and not by itself. */
  readonly unsteady: readonly string[]
}

async function run({ report: file }: Gate, command: string): Promise<Run> {
  if (file !== undefined) rmSync(file, { force: true })
  const result = await runCommand(command)
  return { ...result, cases: file === undefined ? noCases : countCases(file), unsteady: [] }
}

/** A test that measures time can fail beside three servers on two cores: it may show that it was no more than that. */
async function lookAgain(gate: Gate, first: Run): Promise<Run> {
  const { passed, failed, failures, failedFiles } = first.cases
  const isShortOfCoverage = /does not meet .*threshold/.test(first.output)
  const isFew = failed > 0 && failed <= mostUnsteady && failures.length === failed
  if (first.passed || !gate.alone || !isFew || isShortOfCoverage) return first
  const again = await run(gate, gate.alone(failedFiles))
  if (!again.passed) return first
  const seconds = first.seconds + again.seconds
  return { ...again, seconds, cases: { ...noCases, passed: passed + failed }, unsteady: failures }
}

/** Of a command that only tells: what went wrong stands at the end. */
function lastLines(output: string): string {
  return stripVTControlCharacters(output).trimEnd().split('\n').slice(-shownLines).join('\n')
}

/** The failures come first, each with the begin of its message: output may be cut off anywhere after that. */
function countCases(file: string): Cases {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as TestReport
    const failures = read.testResults.flatMap((suite) => [
      ...(suite.status === 'failed' && suite.message ? [`${suite.name}: ${begin(suite.message)}`] : []),
      ...suite.assertionResults
        .filter(({ status }) => status === 'failed')
        .map((test) => `${test.fullName}: ${begin(test.failureMessages.join('\n'))}`),
    ])
    const failedFiles = read.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
    return { passed: read.numPassedTests, failed: read.numFailedTests, failures, failedFiles }
  } catch {
    return noCases
  }
}

function begin(message: string): string {
  return stripVTControlCharacters(message).split('\n').slice(0, 12).join('\n')
}
