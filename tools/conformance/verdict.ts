import { numbersOf, type Sentence } from './sentences.ts'

/** The outcome of one test on one engine. */
export interface TestOutcome {
  readonly title: string
  readonly engine: string
  readonly passed: boolean
  /** First line of the error message. */
  readonly message?: string
}

export interface Verdict {
  readonly sections: readonly SectionCount[]
  readonly untested: readonly Sentence[]
  /** Titles without a number, or with the number of an unknown or a later promise. */
  readonly unpromised: readonly string[]
  readonly failures: readonly TestOutcome[]
  readonly counted: number
  /** Number of promises whose tests all passed on every engine. */
  readonly passed: number
}

interface SectionCount {
  readonly section: string
  readonly promises: number
  readonly tested: number
  readonly passed: number
}

/** Compares what is promised with what was tested. */
export function judge(
  sentences: readonly Sentence[],
  outcomes: readonly TestOutcome[],
  engines: readonly string[],
): Verdict {
  const counted = sentences.filter(({ waitsFor }) => waitsFor === undefined)
  const known = new Set(counted.map(({ number }) => number))
  const byNumber = Map.groupBy(
    outcomes.flatMap((outcome) => numbersOf(outcome.title).map((number) => ({ number, outcome }))),
    ({ number }) => number,
  )
  const isTested = ({ number }: Sentence) => byNumber.has(number)
  const isKept = ({ number }: Sentence) => {
    const tests = byNumber.get(number)?.map(({ outcome }) => outcome) ?? []
    return (
      tests.every(({ passed }) => passed) && engines.every((engine) => tests.some((test) => test.engine === engine))
    )
  }
  const sections = [...Map.groupBy(counted, ({ section }) => section)].map(([section, members]) => ({
    section,
    promises: members.length,
    tested: members.filter(isTested).length,
    passed: members.filter(isKept).length,
  }))
  const titles = new Set(outcomes.map(({ title }) => title))
  return {
    sections,
    untested: counted.filter((sentence) => !isTested(sentence)),
    unpromised: [...titles].filter((title) => {
      const numbers = numbersOf(title)
      return numbers.length === 0 || numbers.some((number) => !known.has(number))
    }),
    failures: outcomes.filter(({ passed }) => !passed),
    counted: counted.length,
    passed: counted.filter(isKept).length,
  }
}
