import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

/** In a thread that can be ended: an engine that backtracks would go on for longer than there is time. */
async function isMatch(pattern: string, text: string): Promise<unknown> {
  const program = `
    import { parentPort } from 'node:worker_threads'
    import { linearTimeRegExp } from ${JSON.stringify(new URL('compile-schema.ts', import.meta.url).href)}
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
  test(`the pattern ${pattern}, which takes other engines forever, comes to an end`, async () => {
    expect(await isMatch(pattern, `${'a'.repeat(20_000)}!`)).toBe(false)
  })
}
