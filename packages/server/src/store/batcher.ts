/**
 * Batches requests when there are more of them than lanes. A free lane takes a request at once and alone, so low load has no
 * added latency; requests that arrive while all lanes are busy form the next batch.
 */
export interface BatcherOptions<Request, Answer> {
  /** Maximum number of batches in flight. */
  readonly lanes: number
  readonly maxBatch: number
  /** Requests with the same key never share a batch. */
  readonly keyOf: (request: Request) => string
  /** Returns answers in the order of the requests. */
  readonly run: (requests: readonly Request[]) => Promise<readonly Answer[]>
  /**
   * Whether requests that failed together with this error are retried one by one, so that each gets its own result. Must be
   * false when they may have taken effect.
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

/** Resolves when every request is settled; never rejects. */
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
