import { ApiError, type Problem } from '@pergola/api'
import { pluginsPath, type Plan } from './plugin-object.ts'

/** A package goes as it is, where everything else is JSON. */
export async function sendPackage(
  bytes: Blob,
  { plan, approve = [] }: { readonly plan: boolean; readonly approve?: readonly string[] },
): Promise<Plan & { readonly metadata?: { readonly name: string } }> {
  const query = new URLSearchParams([['plan', String(plan)], ...approve.map((one) => ['approve', one])])
  const response = await fetch(`${pluginsPath}/-/packages?${query.toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/gzip' },
    body: bytes,
  })
  const answer: unknown = await response.json()
  if (response.ok) return answer as Plan
  const { reason, detail, requestId, errors } = answer as Problem
  throw new ApiError(reason, detail, { requestId, ...(errors && { errors }) })
}
