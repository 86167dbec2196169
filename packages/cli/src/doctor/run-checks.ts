import type { Check, Finding } from '@pergola/server'
import { CommandFault } from '../terminal/command-fault.ts'

export const limitMs = 2_000

/** All checks in parallel, each with its own deadline; the findings in the order of the checks. */
export async function runChecks(checks: readonly Check[], mostMs = limitMs): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map((check) => runCheck(check, mostMs)))).flat()
}

async function runCheck({ name, run, lateAdvice }: Check, mostMs: number): Promise<readonly Finding[]> {
  const deadline = new AbortController()
  const late = Promise.withResolvers<readonly Finding[]>()
  const timer = setTimeout(() => {
    const words = `no answer within ${mostMs / 1_000} s`
    late.resolve(lateAdvice === undefined ? [] : [{ level: 'failed', name, words, advice: lateAdvice }])
    deadline.abort()
  }, mostMs)
  const ended = run(deadline.signal).catch((error: unknown): readonly Finding[] => {
    // Ends the command: without this answer the others mean nothing.
    if (error instanceof CommandFault) throw error
    const words = error instanceof Error ? error.message : String(error)
    return [{ level: 'failed', name, words }]
  })
  try {
    return await Promise.race([late.promise, ended])
  } finally {
    clearTimeout(timer)
  }
}
