/** A signed-in user of the HTTP API. */
export interface Visitor {
  get(path: string): Promise<Answered>
  post(path: string, body: object): Promise<Answered>
  /** Watches a collection by event stream. */
  watch(path: string): Promise<Watching>
}

interface Answered {
  readonly status: number
  readonly body: unknown
}

interface WatchedObject {
  readonly metadata: { readonly name: string }
  readonly status?: Readonly<Record<string, unknown>>
}

interface WatchEvent {
  readonly type: string
  readonly object: WatchedObject
}

interface Watching {
  /** Resolves with the next event that matches; throws if the stream ends first. */
  until(isWanted: (event: WatchEvent) => boolean): Promise<WatchEvent>
}

export async function createVisitor(
  url: string,
  person: { readonly username: string; readonly password: string },
): Promise<Visitor> {
  const login = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ ...person, transport: 'token' }),
  })
  const { token } = (await login.json()) as { readonly token: string }
  const headers = { authorization: `Bearer ${token}` }
  const send = async (path: string, init: RequestInit): Promise<Answered> => {
    const answer = await fetch(`${url}${path}`, init)
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    get: (path) => send(path, { headers }),
    post: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    watch: async (path) => {
      const answer = await fetch(`${url}${path}`, { headers: { ...headers, accept: 'text/event-stream' } })
      if (answer.status !== 200 || !answer.body) throw new Error(`a watch of ${path} was answered ${answer.status}`)
      const events = eventsIn(answer.body)
      return {
        until: async (isWanted) => {
          for (;;) {
            const { done, value } = await events.next()
            if (done) throw new Error('the watch ended')
            if (isWanted(value)) return value
          }
        },
      }
    },
  }
}

async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<WatchEvent, void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = frame
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trim())
        .join('\n')
      const event = (data === '' ? undefined : JSON.parse(data)) as Partial<WatchEvent> | undefined
      if (event?.object?.metadata?.name !== undefined) yield event as WatchEvent
    }
  }
}
