import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Question {
  readonly url: string
  readonly token: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
}

export interface Answer {
  /** 0 without a complete response. */
  readonly status: number
  readonly text: string
}

const answerMs = 5_000
const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Never throws: a missing response is a result, too. */
export function ask({ url, token, method, path, body, contentType }: Question): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, text: error.message })
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(`${url}${path}`, {
      method,
      agent,
      signal: AbortSignal.timeout(answerMs),
      headers: {
        authorization: `Bearer ${token}`,
        ...(bytes !== undefined && { 'content-type': contentType ?? 'application/json' }),
      },
    })
    sent.on('error', fail)
    sent.on('response', (response) => {
      text(response).then((read) => resolve({ status: Number(response.statusCode), text: read }), fail)
    })
    sent.end(bytes)
  })
}
