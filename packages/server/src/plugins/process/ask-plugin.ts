import { errors, type Dispatcher } from 'undici'

interface Question {
  readonly options: Dispatcher.DispatchOptions
  readonly timeoutMs: number
  /** Limit of the answer's body. */
  readonly maxBytes: number
}

/** Reads a complete answer. Uses the library's lowest-level API, because a write waits for this. */
export function askPlugin(
  dispatcher: Dispatcher,
  { options, timeoutMs, maxBytes }: Question,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    let status = 0
    let held = 0
    const chunks: Buffer[] = []
    let stop: (reason: Error) => void = reject
    const timer = setTimeout(() => stop(new errors.HeadersTimeoutError()), timeoutMs)
    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        stop = (reason) => controller.abort(reason)
      },
      onResponseStart: (_, statusCode) => {
        status = statusCode
      },
      onResponseData: (controller, chunk) => {
        held += chunk.length
        if (held > maxBytes) controller.abort(new Error(`its answer has more than ${maxBytes} bytes`))
        else chunks.push(chunk)
      },
      onResponseEnd: () => {
        clearTimeout(timer)
        resolve({ status, text: Buffer.concat(chunks).toString('utf8') })
      },
      onResponseError: (_, error) => {
        clearTimeout(timer)
        reject(error)
      },
    })
  })
}
