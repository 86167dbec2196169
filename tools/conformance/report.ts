import { existsSync, readFileSync } from 'node:fs'
import { numbersOf } from './sentences.ts'
import type { TestOutcome } from './verdict.ts'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly ancestorTitles: readonly string[]
      readonly status: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

/** Vitest's report of a run. A skipped test did not pass, and its message is `skipped`. */
interface TestReport {
  readonly outcomes: readonly TestOutcome[]
  /** Reasons why files could not be run; such a file has no outcomes. */
  readonly unrunnable: readonly string[]
}

export function readReport(path: string): TestReport {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
  const unrunnable = testResults.filter(({ message }) => message !== '')
  return {
    outcomes: ofPromises(readOutcomes(path)),
    unrunnable: unrunnable.map(({ name, message }) => `${name}: ${message}`),
  }
}

/** The tests of promises: all in `tests/conformance`, and those in `tests/security` that name one. */
export function ofPromises(outcomes: ReadonlyMap<string, readonly TestOutcome[]>): readonly TestOutcome[] {
  return [...outcomes].flatMap(([file, tests]) => {
    if (file.includes('/tests/conformance/')) return tests
    return file.includes('/tests/security/') ? tests.filter(({ title }) => numbersOf(title).length > 0) : []
  })
}

/** By test file; empty when vitest wrote no report. */
export function readOutcomes(path: string): ReadonlyMap<string, readonly TestOutcome[]> {
  if (!existsSync(path)) return new Map()
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      name,
      assertionResults.map(({ title, ancestorTitles, status, failureMessages }) => ({
        title,
        engine: ancestorTitles[0] ?? '',
        passed: status === 'passed',
        ...(status !== 'passed' && { message: failureMessages?.[0]?.split('\n')[0] ?? status }),
      })),
    ]),
  )
}
