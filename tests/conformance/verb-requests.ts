import { mergePatch, thing, type Collection } from './collection.ts'
import type { Person } from './people.ts'
import { open, type RequestOptions } from './request.ts'
import type { Api } from './server.ts'

/** A request that requires this verb. */
export interface VerbRequest {
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly options: RequestOptions
}

/** One request for each verb of a model, on the collection or on the object of this name. */
export function verbRequests({ path }: Collection, name: string): readonly VerbRequest[] {
  const object = `${path}/${name}`
  const row = (verb: string, method: string, target: string, options: RequestOptions = {}): VerbRequest => ({
    verb,
    method,
    path: target,
    options,
  })
  return [
    row('create', 'POST', path, { body: thing() }),
    row('get', 'GET', object),
    row('list', 'GET', `${path}?size=1`),
    row('watch', 'GET', path, { headers: { accept: 'text/event-stream' } }),
    row('update', 'PUT', object, { body: thing({ name }) }),
    row('patch', 'PATCH', object, { body: { spec: { city: 'Oslo' } }, headers: { 'content-type': mergePatch } }),
    row('delete', 'DELETE', object),
    row('deletecollection', 'DELETE', `${path}?fieldSelector=metadata.name=${name}`),
  ]
}

/** The status of the response; does not wait for the body, which may be a stream. */
export async function statusOf(api: Api, { token }: Pick<Person, 'token'>, request: VerbRequest): Promise<number> {
  const { method, path, options } = request
  const response = await open(api.origin(), token, { method, path, ...options, slowly: true })
  response.destroy()
  return Number(response.statusCode)
}

/** Whether authorization allowed the request, whatever its result. */
export function isLetThrough(status: number): boolean {
  return status !== 401 && status !== 403
}
