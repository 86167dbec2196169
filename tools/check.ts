import { readFileSync, rmSync } from 'node:fs'
import { runCommand } from './run-command.ts'

/**
 * Every gate of the repository, and a last line that counts them. The quick ones run side by side; each failure is
 * shown whole, and none stops the others. `--ci` adds the slower proofs.
 */
interface Gate {
  readonly name: string
  readonly command: string
  /** Where the gate leaves its own count of tests, in vitest's JSON form. */
  readonly report?: string
}

const report = 'node_modules/.cache/tests.json'

const quick: readonly Gate[] = [
  { name: 'types', command: 'npm run -s build' },
  { name: 'format', command: 'npm run -s format:check' },
  { name: 'lint', command: 'npm run -s lint' },
  { name: 'layers', command: 'npm run -s lint:layers' },
  { name: 'dead code', command: 'npm run -s lint:unused' },
  { name: 'docs match code', command: 'npm run -s docs:check' },
]

const tests: readonly Gate[] = [
  {
    name: 'tests and coverage',
    command: `npm run -s test:coverage -- --reporter=default --reporter=json --outputFile=${report}`,
    report,
  },
]

/** The trials of the store whose outcome does not hang on how busy the machine is. */
const trials = ['kill the writer', 'kill the database', 'a stopped lease holder', 'a slow reader of everything']

const proofs: readonly Gate[] = [
  { name: 'order of changes', command: 'npm run -s faults -- ordering --quick' },
  { name: 'faults of the store', command: `npm run -s faults -- store --quick "--only=${trials.join(',')}"` },
  { name: 'every promise', command: 'npm run -s conformance' },
  { name: 'hostile requests', command: 'npm run -s conformance -- fuzz --quick --seed=11' },
  { name: 'planted faults', command: 'npm run -s planted' },
  { name: 'broken promises', command: 'npm run -s planted -- conformance --sample=6' },
  { name: 'documents run', command: 'npm run -s docs:run' },
]

const count = { passed: 0, failed: 0 }
const inCi = process.argv.includes('--ci')

await together(quick, 2)
await together([...tests, ...(inCi ? proofs : [])], 1)
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
  if (gate.report !== undefined) rmSync(gate.report, { force: true })
  const { passed, output, seconds } = await runCommand(gate.command)
  const cases = gate.report === undefined ? { passed: 0, failed: 0 } : countCases(gate.report)
  count.passed += cases.passed + (passed ? 1 : 0)
  count.failed += cases.failed + (passed ? 0 : 1)
  const counted = gate.report === undefined ? '' : `  ${cases.passed} tests passed, ${cases.failed} failed`
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${gate.name.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s${counted}`)
  if (!passed) console.log(output.replaceAll(/^/gm, '    '))
}

function countCases(file: string): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
    return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
