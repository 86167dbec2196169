import type { HostAnswer, HostRoute, QueryParameter, RequestBody } from '../call/host-route.ts'
import { inputSchema } from './input-schema.ts'
import type { FreeName } from './openapi-names.ts'
import { bodyFailures, refused } from './openapi-paths.ts'

type Json = Readonly<Record<string, unknown>>

/** The host's endpoints, by path and method. */
export function hostRoutePaths(routes: readonly HostRoute[], freeName: FreeName): Json {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, there]) => [
      path,
      Object.fromEntries(there.map((route) => [route.method.toLowerCase(), operationOf(route, freeName)])),
    ]),
  )
}

function operationOf(route: HostRoute, freeName: FreeName): Json {
  const { id, summary, description, isPublic, query = [], body, answers, failures = [] } = route
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: ['host'],
    ...(isPublic && { security: [{}, { token: [] }] }),
    parameters: [...pathParameters(route), ...query.map(queryParameter), ...originParameter(route)],
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      ...refused([...failures, ...(body?.schema ? bodyFailures : [])], freeName),
      ...Object.fromEntries(answers.map((answer) => [answer.status, responseOf(answer)])),
    },
  }
}

function pathParameters({ path, pathParameters: described = {} }: HostRoute): readonly Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: described[name],
    schema: { type: 'string' },
  }))
}

function queryParameter({ name, description, required = false, schema }: QueryParameter): Json {
  return { name, in: 'query', required, description, schema }
}

/** The `Origin` header, checked for every change under `/auth`; browsers send it by themselves. */
function originParameter({ method, path }: HostRoute): readonly Json[] {
  if (method === 'GET' || !path.startsWith('/auth/')) return []
  const description = 'The address of this server. Browsers send it by themselves; other clients must.'
  return [{ name: 'Origin', in: 'header', required: false, description, schema: { type: 'string' } }]
}

function requestBody({ types, schema }: RequestBody): Json {
  const media = schema ? { schema: inputSchema(schema) } : {}
  return { required: true, content: Object.fromEntries(types.map((type) => [type, media])) }
}

function responseOf({ description, type = 'application/json', schema }: HostAnswer): Json {
  return { description, ...(schema && { content: { [type]: { schema } } }) }
}
