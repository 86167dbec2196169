import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readReport } from '../conformance/report.ts'
import { numbersOf, testFiles } from '../conformance/sentences.ts'
import type { TestOutcome } from '../conformance/verdict.ts'
import { runCommand } from '../run-command.ts'
import { sampleOf } from '../sample.ts'
import { conformanceFaults } from './conformance-faults.ts'
import { copyForPlanting } from './planted-copy.ts'
import type { ConformanceFault } from './planted-fault.ts'
import { whyUnseen } from './seen.ts'

/** Number of parallel copies. More than cores, because a test of a broken promise mostly waits. */
const lanes = 5
/** A promise that every working server keeps. */
const witness = 'C1-1'
const report = 'node_modules/.cache/planted-conformance.json'

/**
 * Breaks promises of the API one by one; a conformance test of each must fail, on SQLite. `--only=C3-14,C3-15` selects
 * by number, `--sample=6` a few by the current commit. Returns whether all were detected.
 */
export async function plantInConformance(words: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...words], options: { only: { type: 'string' }, sample: { type: 'string' } } })
  for (const fault of conformanceFaults) edited(readFileSync(fault.file, 'utf8'), fault)
  const chosen = choose(values)
  using stack = new DisposableStack()
  const copies = Array.from({ length: lanes }, () => stack.use(copyForPlanting()).path)
  const [first = ''] = copies
  const broken = await brokenUntouched(first, chosen)
  const waiting = chosen.filter(({ promise }) => !broken.has(promise))
  let seen = 0
  const lane = async (copy: string) => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) if (await isSeen(copy, fault)) seen++
  }
  await Promise.all(copies.map(lane))
  console.log(`${seen} of ${chosen.length} seen`)
  return seen === chosen.length
}

interface Choice {
  readonly only?: string
  readonly sample?: string
}

function choose({ only, sample }: Choice): readonly ConformanceFault[] {
  if (only !== undefined) {
    const numbers = only.split(',')
    const unknown = numbers.filter((number) => !conformanceFaults.some(({ promise }) => promise === number))
    if (unknown.length > 0) throw new Error(`no way to break ${unknown.join(', ')} is listed`)
    return conformanceFaults.filter(({ promise }) => numbers.includes(promise))
  }
  if (sample === undefined) return conformanceFaults
  return sampleOf(conformanceFaults, sample)
}

/** The promises whose tests are missing, or fail twice without a fault: these would seem to detect everything. */
async function brokenUntouched(copy: string, chosen: readonly ConformanceFault[]): Promise<ReadonlySet<string>> {
  const promises = [...new Set(chosen.map(({ promise }) => promise))]
  const first = await unkept(copy, promises)
  const second = first.length === 0 ? [] : await unkept(copy, first)
  for (const number of second) console.log(`${number} has no test, or one that fails without a fault`)
  return new Set(second)
}

async function unkept(copy: string, promises: readonly string[]): Promise<readonly string[]> {
  const outcomes = await runTests(copy, promises)
  return promises.filter((number) => {
    const own = outcomes.filter(({ title }) => proves(title, number))
    return own.length === 0 || own.some(({ passed }) => !passed)
  })
}

function proves(title: string, number: string): boolean {
  return numbersOf(title).includes(number)
}

async function isSeen(copy: string, fault: ConformanceFault): Promise<boolean> {
  const { promise, what } = fault
  const file = join(copy, fault.file)
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, edited(before, fault))
  const began = performance.now()
  const outcomes = await runTests(copy, [promise])
  writeFileSync(file, before)
  const why = whyUnseen(outcomes, { promise, witness })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${promise.padEnd(7)} ${why === undefined ? 'red     ' : 'NOT SEEN'} ${seconds.padStart(5)} s  ${what}`)
  if (why !== undefined) console.log(`        ${why}`)
  return why === undefined
}

function edited(text: string, { promise, file, find, replace }: ConformanceFault): string {
  const [before, after, ...more] = text.split(find)
  if (before !== undefined && after !== undefined && more.length === 0) return `${before}${replace}${after}`
  const times = after === undefined ? 'not at all' : `${more.length + 1} times`
  throw new Error(`the text by which ${promise} is broken must stand in ${file} once; it does ${times}:\n${find}`)
}

/** Runs the tests of these promises and of the witness. */
async function runTests(copy: string, promises: readonly string[]): Promise<readonly TestOutcome[]> {
  const numbers = [...promises, witness]
  const known = testFiles()
  const files = new Set(numbers.flatMap((number) => known.get(number) ?? []))
  const names = `(^| )(${numbers.map((number) => number.replaceAll('.', String.raw`\.`)).join('|')}) `
  const command = [
    `node node_modules/vitest/vitest.mjs run --experimental.fsModuleCache --no-isolate --project conformance --project security -t '${names}' --maxWorkers=${promises.length > 1 ? lanes : 1}`,
    `--reporter=json --outputFile=${report}`,
    ...Array.from(files, (file) => `tests/${file}`),
  ].join(' ')
  rmSync(join(copy, report), { force: true })
  const { output } = await runCommand(command, { cwd: copy, env: { ...process.env, TEST_ENGINE: 'SQLite' } })
  try {
    const { outcomes, unrunnable } = readReport(join(copy, report))
    for (const why of unrunnable) console.log(`        ${why.slice(0, 500)}`)
    return outcomes
  } catch (error) {
    throw new Error(`"${command}" left no report:\n${output}`, { cause: error })
  }
}
