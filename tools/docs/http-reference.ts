import { embed } from '../../packages/server/src/embed.ts'

interface Operation {
  readonly summary?: string
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const administrator = { username: 'admin', password: 'correct horse battery' }
const methods = ['get', 'post', 'put', 'patch', 'delete']

/** All paths of a server without plugins, one table for each of its OpenAPI documents. */
export async function httpReference(): Promise<string> {
  await using server = await embed({
    administrator,
    runPlugin: () => Promise.reject(new Error('there are none')),
    log: () => {},
  })
  const headers = { 'content-type': 'application/json', origin: server.url }
  const login = await fetch(`${server.url}/auth/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...administrator, transport: 'token' }),
  })
  const { token } = (await login.json()) as { token: string }
  const read = async <Read>(path: string) =>
    (await (await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })).json()) as Read
  const index = await read<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3')
  const parts = Object.entries(index.paths).map(async ([name, { serverRelativeURL }]) => {
    const { paths } = await read<Document>(serverRelativeURL)
    return [`## \`${name}\``, '', `The document: \`${serverRelativeURL}\`.`, '', ...tableOf(paths)].join('\n')
  })
  return (await Promise.all(parts)).join('\n\n')
}

function tableOf(paths: Document['paths']): readonly string[] {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method]
      if (!operation) return []
      const successes = Object.keys(operation.responses).filter((status) => /^[123]/.test(status))
      return [`| \`${method.toUpperCase()}\` | \`${path}\` | ${operation.summary ?? ''} | ${successes.join(', ')} |`]
    }),
  )
  return ['| Method | Path | | Answers |', '|---|---|---|---|', ...rows]
}
