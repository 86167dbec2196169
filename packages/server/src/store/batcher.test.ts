import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

/** A batcher whose batches end only on command. */
function gated(lanes: number, maxBatch = 100) {
  const batches: { requests: readonly string[]; end: (error?: Error) => void }[] = []
  const send = createBatcher<string, string>({
    lanes,
    maxBatch,
    keyOf: (request) => request.split('#')[0] ?? '',
    retryAlone: () => true,
    run: (requests) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(requests.map((request) => `${request}!`)))
        batches.push({ requests, end })
      }),
  })
  return { batches, send, sent: () => batches.map(({ requests }) => requests.join(' ')) }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

test('a free lane runs a request at once; requests that arrive meanwhile are batched', async () => {
  const { batches, send, sent } = gated(2)
  const answers = ['a', 'b', 'c', 'd', 'e'].map(send)
  expect(sent()).toEqual(['a', 'b'])
  batches[0]?.end()
  await settled()
  expect(sent()).toEqual(['a', 'b', 'c d e'])
  batches[1]?.end()
  batches[2]?.end()
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!'])
})

test('a batch has a maximum size and no duplicate keys', async () => {
  const { batches, send, sent } = gated(1, 2)
  const answers = ['a', 'x#1', 'x#2', 'y', 'z'].map(send)
  for (let at = 0; at < 4; at++) {
    batches[at]?.end()
    await settled()
  }
  expect(sent()).toEqual(['a', 'x#1 y', 'x#2 z'])
  expect(await Promise.all(answers)).toHaveLength(5)
})

test('requests of a failed batch are retried one by one, and only the faulty one fails', async () => {
  const send = createBatcher<number, number>({
    lanes: 1,
    maxBatch: 100,
    keyOf: String,
    retryAlone: () => true,
    run: async (requests) => {
      await settled()
      if (requests.includes(13)) throw new Error('unlucky')
      return requests.map((request) => request * 2)
    },
  })
  const outcomes = await Promise.allSettled([1, 12, 13, 14].map(send))
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
    2,
    24,
    'failed',
    28,
  ])
})

test('under any load, every request gets the result it would have had alone', async () => {
  const one = async (request: string) => {
    if (request.startsWith('bad')) throw new Error(request)
    return `${request}!`
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'bad')),
      fc.integer({ min: 1, max: 3 }),
      async (requests, lanes) => {
        const send = createBatcher({
          lanes,
          maxBatch: 3,
          keyOf: (request: string) => request,
          retryAlone: () => true,
          run: (batch) => Promise.all(batch.map(one)),
        })
        const batched = await Promise.allSettled(requests.map(send))
        expect(batched).toEqual(await Promise.allSettled(requests.map(one)))
      },
    ),
  )
})

test('a batch that may have been committed despite its error is not retried', async () => {
  const runs: string[][] = []
  const send = createBatcher<string, string>({
    lanes: 1,
    maxBatch: 100,
    keyOf: String,
    retryAlone: (error) => !(error instanceof Error && error.message === 'answer lost'),
    run: async (requests) => {
      runs.push([...requests])
      await settled()
      if (requests.length > 1) throw new Error('answer lost')
      return requests
    },
  })
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((request) => send(request)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(runs).toEqual([['a'], ['b', 'c']])
})
