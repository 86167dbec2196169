import { embed } from '../../packages/server/src/embed.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
}

interface Operation {
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: object }
  readonly 'x-watch'?: {
    readonly contentType: string
    readonly subProtocol: string
    readonly parameters: readonly Parameter[]
  }
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const administrator = { username: 'admin', password: 'correct horse battery' }
/** An ordinary model, whose operations stand for those of all models. */
const anyModel = '/api/v1alpha1/configmaps'
const methods = ['get', 'post', 'put', 'patch', 'delete']

/** All paths of a server without plugins, one table for each of its OpenAPI documents. */
export async function httpReference(): Promise<string> {
  await using server = await embed({
    administrator,
    runnerOf: () => undefined,
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
  const documents = await Promise.all(
    Object.entries(index.paths).map(async ([name, { serverRelativeURL }]) => {
      const { paths } = await read<Document>(serverRelativeURL)
      return { name, serverRelativeURL, paths }
    }),
  )
  const tables = documents.map(({ name, serverRelativeURL, paths }) =>
    [`## \`${name}\``, '', `The document: \`${serverRelativeURL}\`.`, '', ...tableOf(paths)].join('\n'),
  )
  const model = documents.find(({ paths }) => anyModel in paths)
  if (!model) throw new Error(`no document describes ${anyModel}`)
  return [parametersOf(model.paths), ...tables].join('\n\n')
}

/** The parameters, headers and media types that every model takes, from the document of one. */
function parametersOf(paths: Document['paths']): string {
  const { get: list, post: create, delete: deleteCollection } = paths[anyModel] ?? {}
  const { get, put: update, patch, delete: remove } = paths[`${anyModel}/{name}`] ?? {}
  const watch = list?.['x-watch']
  if (!watch || !patch?.requestBody) throw new Error(`the document of ${anyModel} has no watch or no patch`)
  const requests = { list, create, 'delete collection': deleteCollection, get, update, patch, delete: remove, watch }
  const used = Object.entries(requests).flatMap(([request, operation]) =>
    (operation?.parameters ?? []).map((parameter) => ({ request, ...parameter })),
  )
  const rows = [...Map.groupBy(used, ({ name }) => name)].map(([name, uses]) => {
    const [first] = uses
    const { in: place, description = '' } = first ?? { in: '' }
    return `| \`${name}\` | ${place} | ${uses.map(({ request }) => request).join(', ')} | ${description} |`
  })
  const types = Object.keys(patch.requestBody.content).map((type) => `\`${type}\``)
  return [
    "## Parameters and headers of a model's API",
    '',
    'Any other query parameter is refused with 400.',
    '',
    '| Name | In | Requests | Meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    `A patch has one of the content types ${types.join(' and ')}. A list or a get with \`Accept: ${watch.contentType}\` is a watch, and so is`,
    `one that asks for a WebSocket (sub-protocol \`${watch.subProtocol}\`, optional).`,
  ].join('\n')
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
