import { ApiError, type Plan, type Problem, type Plugin } from '@pergola/api'
import { pluginsPath } from './plugins-path.ts'

/** Requests the plan of an installation without installing. */
export async function planPackage(bytes: Blob): Promise<Plan> {
  return (await send(bytes, [['plan', 'true']])) as Plan
}

export async function installPackage(bytes: Blob, approvals: readonly string[]): Promise<Plugin> {
  const query = approvals.map((name): readonly [string, string] => ['approve', name])
  return (await send(bytes, query)) as Plugin
}

/** Sends the package's bytes; all other requests send JSON. */
async function send(bytes: Blob, query: readonly (readonly [string, string])[]): Promise<unknown> {
  const parameters = new URLSearchParams(query.map(([name, value]) => [name, value]))
  const response = await fetch(`${pluginsPath}/-/packages?${parameters.toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/gzip' },
    body: bytes,
  })
  const answer: unknown = await response.json()
  if (response.ok) return answer
  const { reason, detail, requestId, errors, params } = answer as Problem
  throw new ApiError(reason, detail, { requestId, ...(errors && { errors }), ...(params && { params }) })
}
