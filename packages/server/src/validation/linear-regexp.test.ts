import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { boundedMatching, instructionsOf, linearTimeRegExp } from './linear-regexp.ts'
import { schemaErrors } from './schema-errors.ts'

describe('patterns', () => {
  test('match without backtracking', () => {
    const pattern = linearTimeRegExp('^(x+x+)+y$')
    expect(boundedMatching(() => pattern.test(`${'x'.repeat(1_000)}y`))).toBe(true)
    expect(boundedMatching(() => pattern.test('x'.repeat(1_000)))).toBe(false)
  })

  test('have a limit of matched text for all fields of a value together', () => {
    const pattern = linearTimeRegExp('^([a-z]{1,100}-?){1,8}$')
    const text = 'a'.repeat(500)
    expect(boundedMatching(() => pattern.test(text))).toBe(true)
    expect(() => boundedMatching(() => Array.from({ length: 5 }, () => pattern.test(text)))).toThrow('too many steps')
    // The limit starts again with the next value.
    expect(boundedMatching(() => pattern.test(text))).toBe(true)
  })

  test('have a total size limit per schema, above which none is compiled', () => {
    const large = '(a?){500}a{500}'
    expect(instructionsOf(large)).toBeGreaterThan(2_000)
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`p${at}`, { type: 'string', pattern: large }]),
    )
    const errors = schemaErrors({ type: 'object', properties })
    expect(errors).toHaveLength(93)
    expect(errors[0]?.message).toContain('too much together')
  })
})

/** In a thread that can be terminated, because a backtracking engine would not finish in time. */
async function isMatch(pattern: string, text: string): Promise<unknown> {
  const program = `
    import { parentPort } from 'node:worker_threads'
    import { linearTimeRegExp } from ${JSON.stringify(new URL('linear-regexp.ts', import.meta.url).href)}
    parentPort.postMessage('loaded')
    parentPort.postMessage(linearTimeRegExp(${JSON.stringify(pattern)}).test(${JSON.stringify(text)}))`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
  const answers: unknown[] = []
  worker.on('message', (answer) => answers.push(answer))
  try {
    await once(worker, 'message')
    await expect.poll(() => answers).toHaveLength(2)
    return answers[1]
  } finally {
    await worker.terminate()
  }
}

const patterns = ['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '^(a?){30}a{30}b$']

for (const pattern of patterns) {
  test(`the pattern ${pattern}, exponential in backtracking engines, terminates`, async () => {
    expect(await isMatch(pattern, `${'a'.repeat(5_000)}!`)).toBe(false)
  })
}
