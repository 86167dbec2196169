/**
 * Sends requests together when there are more of them than lanes. A free lane takes a request at once and alone, so
 * that little load pays nothing; what comes while all lanes are busy waits and goes as one batch.
 */
export interface BatcherOptions<Request, Answer> {
  /** Batches under way at a time. */
  readonly lanes: number
  readonly maxBatch: number
  /** Two requests with one key never share a batch. */
  readonly keyOf: (request: Request) => string
  /** Answers in the order of the requests. */
  readonly run: (requests: readonly Request[]) => Promise<readonly Answer[]>
  /**
   * Whether requests that failed together with this error are tried again, each alone, so that each gets the answer it
   * deserves. Never when they may have been done all the same.
   */
  readonly retryAlone: (error: unknown) => boolean
}

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export function createBatcher<Request, Answer>(
  options: BatcherOptions<Request, Answer>,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = []
  let busy = 0

  const next = () => {
    if (waiting.length === 0 || busy >= options.lanes) return
    const [batch, rest] = takeBatch(waiting, options)
    waiting = rest
    busy++
    void settle(batch, options).finally(() => {
      busy--
      next()
    })
  }
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      next()
    })
}

function takeBatch<Request, Answer>(
  waiting: readonly Waiting<Request, Answer>[],
  { maxBatch, keyOf }: BatcherOptions<Request, Answer>,
): [Waiting<Request, Answer>[], Waiting<Request, Answer>[]] {
  const keys = new Set<string>()
  const batch: Waiting<Request, Answer>[] = []
  const rest: Waiting<Request, Answer>[] = []
  for (const item of waiting) {
    const key = keyOf(item.request)
    if (batch.length >= maxBatch || keys.has(key)) rest.push(item)
    else {
      keys.add(key)
      batch.push(item)
    }
  }
  return [batch, rest]
}

/** Every request is settled when this resolves; it never rejects. */
async function settle<Request, Answer>(
  batch: readonly Waiting<Request, Answer>[],
  options: BatcherOptions<Request, Answer>,
): Promise<void> {
  try {
    const answers = await options.run(batch.map(({ request }) => request))
    for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
  } catch (error) {
    if (batch.length > 1 && options.retryAlone(error)) await Promise.all(batch.map((item) => settle([item], options)))
    else for (const { reject } of batch) reject(error)
  }
}
