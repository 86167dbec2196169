import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** The result of a test file. */
export interface TestFile {
  readonly name: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  /** Also false if the file could not be loaded. */
  readonly isGreen: boolean
  /** Each failure with the first lines of its message. */
  readonly failures: readonly string[]
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    /** Milliseconds since 1970. */
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[] | null
    }[]
  }[]
}

const shownLines = 12

/** Empty when vitest wrote no report. */
export function readTestFiles(path: string): readonly TestFile[] {
  if (!existsSync(path)) return []
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
  return testResults.map(({ name, status, message, assertionResults, startTime, endTime }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    return {
      name,
      seconds: (endTime - startTime) / 1000,
      passed: assertionResults.filter((test) => test.status === 'passed').length,
      failed: failed.length,
      isGreen: status === 'passed',
      failures: [
        ...(message === '' ? [] : [firstLines(message)]),
        ...failed.map((test) => `${test.fullName}\n${firstLines(test.failureMessages?.join('\n') ?? '')}`),
      ],
    }
  })
}

function firstLines(message: string): string {
  return stripVTControlCharacters(message).split('\n').slice(0, shownLines).join('\n')
}
