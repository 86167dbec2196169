import { numbersOf } from '../conformance/sentences.ts'
import type { TestOutcome } from '../conformance/verdict.ts'

/**
 * Why a broken promise was not detected; undefined if one of its tests detected it. A failed test is
 * not enough: it must fail on a response of a server that still works (`witness`) and did not answer 500.
 */
export function whyUnseen(
  outcomes: readonly TestOutcome[],
  { promise, witness }: { readonly promise: string; readonly witness: string },
): string | undefined {
  const testsOf = (number: string) => outcomes.filter(({ title }) => numbersOf(title).includes(number))
  const serves = testsOf(witness).some(({ passed }) => passed)
  if (!serves) return `the server no longer serves: ${messagesOf(testsOf(witness))}`
  const failed = testsOf(promise).filter(({ passed }) => !passed)
  if (failed.length === 0) return `all ${testsOf(promise).length} tests pass`
  return failed.some(isProof) ? undefined : `its tests fail for another reason: ${messagesOf(failed)}`
}

/** A polled expectation that times out fails with a plain `Error`. */
function isProof({ message = '' }: TestOutcome): boolean {
  return /^(AssertionError|Error: expected )/.test(message) && !/(expected|include) '?500\b/.test(message)
}

function messagesOf(outcomes: readonly TestOutcome[]): string {
  return [...new Set(outcomes.map(({ message = 'passed' }) => message.slice(0, 200)))].join('; ') || 'no test was run'
}
