import { readFileSync } from 'node:fs'
import type { TestOutcome } from './verdict.ts'

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

/** vitest's report of a run. A test that was left out of it did not pass, and its message says `skipped`. */
interface TestReport {
  readonly outcomes: readonly TestOutcome[]
  /** A file that could not be run has no outcomes; this is why. */
  readonly unrunnable: readonly string[]
}

export function readReport(file: string): TestReport {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
  const outcomes = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, ancestorTitles, status, failureMessages = [] }) => ({
      title,
      engine: ancestorTitles[0] ?? '',
      passed: status === 'passed',
      ...(status !== 'passed' && { message: failureMessages[0]?.split('\n')[0] ?? status }),
    })),
  )
  const unrunnable = testResults.filter(({ message }) => message !== '')
  return { outcomes, unrunnable: unrunnable.map(({ name, message }) => `${name}: ${message}`) }
}
