import type { Connections } from './connections.ts'

/** Token of the administrator that every benchmarked host has. */
export const token = 'pgs_bench-token-bench-token-bench-token'

export function head(method: string, path: string, more = ''): Buffer {
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${more}\r\n`)
}

export function withBody(method: string, path: string, value: object): Buffer {
  const body = JSON.stringify(value)
  const more = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.concat([head(method, path, more), Buffer.from(body)])
}

export async function register(url: string, model: object): Promise<void> {
  await post(url, '/apis/plugin.platform.run/v1alpha1/models', model)
}

export async function post(url: string, path: string, body: object): Promise<{ metadata: { uid: string } }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { metadata: { uid: string } }
}

export interface Operation {
  readonly name: string
  readonly status: number
  readonly request: (at: number) => Buffer
}

/** Sends the operation and expects its status. */
export function sending(connections: Connections, { request, status }: Omit<Operation, 'name'>) {
  return async (at: number): Promise<void> => {
    const bytes = request(at)
    const answered = await connections.send(bytes)
    if (answered !== status)
      throw new Error(`${String(bytes).split('\r\n')[0]} returned status ${answered}, not ${status}`)
  }
}
