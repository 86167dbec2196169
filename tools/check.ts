import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ofPromises, readOutcomes } from './conformance/report.ts'
import { readSentences } from './conformance/sentences.ts'
import { judge, type TestOutcome } from './conformance/verdict.ts'
import { builtSteps, staticSteps, suiteSteps, testCommand, testReport, type Step } from './gate/steps.ts'
import { readTestFiles, type TestFile } from './gate/test-report.ts'
import { runCommand } from './run-command.ts'

/**
 * The gate: every check except the slow suites of `npm run proofs`. A failed step or test file runs once more at the end,
 * alone: if it passes then, it is printed as `unsteady`; if it fails twice, the gate fails.
 */
const shownLines = 120
const shownSlowest = 20
const engines = ['SQLite', 'PostgreSQL 18']
const count = { passed: 0, failed: 0 }
const running = new Set<string>()
const secondChances: (() => Promise<void>)[] = []
const outcomes = new Map<string, readonly TestOutcome[]>()

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    console.log(`FAILED ended by ${signal} while running: ${[...running].join(', ')}`)
    end({ passed: count.passed, failed: count.failed + running.size })
    process.exit(1)
  })
}

await inLanes(
  2,
  staticSteps.map((step) => () => runStep(step)),
)
await inLanes(
  2,
  builtSteps.map((step) => () => runStep(step)),
)
await runTests()
await inLanes(
  2,
  suiteSteps.map((step) => () => runStep(step)),
)
await inLanes(1, secondChances)
countSentences()
end(count)

function end({ passed, failed }: typeof count): void {
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

async function inLanes(lanes: number, jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...jobs]
  const lane = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await job()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function runStep(step: Step): Promise<void> {
  const { passed, seconds, output } = await run(step)
  if (passed) return accept(step.name, seconds)
  console.log(`failed ${step.name}; it runs once more, alone, at the end`)
  showEnd(output)
  secondChances.push(async () => {
    const again = await run(step)
    if (again.passed) tellUnsteady(step.name)
    if (again.passed) accept(step.name, again.seconds)
    else refuse(step.name, again)
  })
}

async function runTests(): Promise<void> {
  const first = await runTestFiles('tests', testCommand())
  showSlowest(first.files)
  const told = first.files.reduce((sum, { passed }) => sum + passed, 0)
  if (first.passed) {
    count.passed += told
    return accept('tests', first.seconds, `${told} tests`)
  }
  const red = first.files.filter(({ isGreen }) => !isGreen)
  const again = new Set([...red.map(({ name }) => name), ...originsOf(first.output)])
  const isKnown = again.size > 0
  console.log(`failed tests; ${isKnown ? again.size : 'all'} files run once more, alone, at the end`)
  showFailures(red)
  if (!isKnown) {
    secondChances.push(() => runTestsAgain('tests', testCommand(['--maxWorkers=1'])))
    return
  }
  for (const { name, passed } of first.files) if (!again.has(name)) count.passed += passed
  for (const name of again)
    secondChances.push(() => runTestsAgain(relative(name), testCommand(['--maxWorkers=1', name])))
}

/** The files during which an error outside every test happened. */
function originsOf(output: string): readonly string[] {
  const found = stripVTControlCharacters(output).matchAll(/This error originated in "([^"]+)" test file/g)
  return [...found].map(([, file = '']) => resolve(file))
}

async function runTestsAgain(name: string, command: string): Promise<void> {
  const again = await runTestFiles(name, command)
  for (const file of again.files) {
    count.passed += file.passed
    count.failed += file.failed
  }
  if (again.passed) {
    tellUnsteady(name)
    return accept(name, again.seconds)
  }
  showFailures(again.files.filter(({ isGreen }) => !isGreen))
  refuse(name, again)
}

async function runTestFiles(name: string, command: string) {
  rmSync(testReport, { force: true })
  const result = await run({ name, command })
  for (const [file, found] of readOutcomes(testReport)) outcomes.set(file, found)
  return { ...result, files: readTestFiles(testReport) }
}

/** Every promise needs a passed test on each engine. The tests themselves cannot notice that one is missing. */
function countSentences(): void {
  const { passed, counted, untested, unpromised } = judge(readSentences(), ofPromises(outcomes), engines)
  const figure = `${passed} of ${counted} sentences`
  if (passed === counted && unpromised.length === 0) return accept('promises', 0, figure)
  const reasons = [
    ...untested.map(({ number }) => `without a test: ${number}`),
    ...unpromised.map((title) => `without a promise: ${title}`),
  ]
  refuse('promises', { seconds: 0, output: [...reasons, figure].join('\n') })
}

async function run({ name, command }: Step) {
  running.add(name)
  const result = await runCommand(command)
  running.delete(name)
  return result
}

function accept(name: string, seconds: number, figure = ''): void {
  count.passed++
  console.log(`${line('ok    ', name, seconds)}  ${figure}`.trimEnd())
}

function refuse(name: string, { seconds, output }: { seconds: number; output: string }): void {
  count.failed++
  console.log(line('FAILED', name, seconds))
  showEnd(output)
}

function showEnd(output: string): void {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n').slice(-shownLines)
  console.log(lines.join('\n').replaceAll(/^/gm, '    '))
}

function line(verdict: string, name: string, seconds: number): string {
  return `${verdict} ${name.padEnd(30)} ${seconds.toFixed(1).padStart(7)} s`
}

function tellUnsteady(name: string): void {
  console.log(`unsteady ${name}`)
}

function showFailures(files: readonly TestFile[]): void {
  for (const { name, failures } of files)
    console.log([relative(name), ...failures].join('\n').replaceAll(/^/gm, '    '))
}

/** Files run in parallel, so their seconds add up to more than the step takes. */
function showSlowest(files: readonly TestFile[]): void {
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, shownSlowest)
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(12)} s  ${relative(name)}`)
}

function relative(file: string): string {
  return file.replace(`${process.cwd()}/`, '')
}
