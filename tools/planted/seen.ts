import { numbersOf } from '../conformance/sentences.ts'
import type { TestOutcome } from '../conformance/verdict.ts'

/**
 * Why it proves nothing that a promise was broken; undefined when one of its tests has seen it. That the test failed is
 * not enough: it has to have looked at an answer, of a server that serves others (`witness`) and did not fail itself.
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

/** An expectation that is asked again and again until its time is up fails with a plain `Error`. */
function isProof({ message = '' }: TestOutcome): boolean {
  return /^(AssertionError|Error: expected )/.test(message) && !/(expected|include) '?500\b/.test(message)
}

function messagesOf(outcomes: readonly TestOutcome[]): string {
  return [...new Set(outcomes.map(({ message = 'passed' }) => message.slice(0, 200)))].join('; ') || 'no test was run'
}
