import { ApiError, type ResourceRequest, type Verb } from '@pergola/api'
import type { Answer, Call, Handler } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import { createObject } from '../models/create.ts'
import { getObject } from '../models/get.ts'
import { listObjects } from '../models/list.ts'
import type { ModelRegistry } from '../models/model.ts'
import type { Store } from '../store/store.ts'
import { parseJsonBody } from '../validation/json-body.ts'

const maxObjectBytes = 1024 * 1024

export interface DispatchParts {
  readonly store: Store
  readonly clock: Clock
  readonly models: ModelRegistry
  /** Handlers of paths that are no resource, by exact path. */
  readonly endpoints: ReadonlyMap<string, Handler>
}

/** Sends an allowed request to the verb or endpoint that answers it. */
export type Dispatch = Handler

export function createDispatch(parts: DispatchParts): Dispatch {
  return (call) => {
    const { info } = call
    if (info.kind === 'resource') return dispatchVerb(parts, call, info)
    const endpoint = parts.endpoints.get(info.path)
    if (!endpoint) throw new ApiError('NotFound', `there is nothing at ${info.path}`)
    if (info.verb !== 'get') throw methodNotAllowed(`${info.path} can only be read`, endpointMethods)
    return endpoint(call)
  }
}

/** The methods a path takes, for `Allow`. */
const endpointMethods = ['GET', 'HEAD']
const collectionMethods = ['GET', 'HEAD', 'POST']
export const objectMethods = ['GET', 'HEAD']

export function methodNotAllowed(detail: string, methods: readonly string[]): ApiError {
  const allow = methods.join(', ')
  return new ApiError('MethodNotAllowed', `${detail}; allowed here: ${allow}`, { headers: { allow } })
}

async function dispatchVerb(parts: DispatchParts, call: Call, request: ResourceRequest): Promise<Answer> {
  const { store, models } = parts
  const model = models.find(request)
  const { name, subresource, verb } = request
  if (subresource !== undefined) {
    throw new ApiError('NotFound', `${model.plural} have no sub-resource "${subresource}"`)
  }
  if (name !== undefined) {
    if (verb === 'get') return getObject(store, model, name)
    throw verbNotServed(verb, `a ${model.singular}`, objectMethods)
  }
  switch (verb) {
    case 'list':
      return listObjects(store, model, call.request.query)
    case 'create':
      return createObject(parts, model, await readObject(call))
    default:
      throw verbNotServed(verb, model.plural, collectionMethods)
  }
}

function verbNotServed(verb: Verb, what: string, methods: readonly string[]): ApiError {
  return methodNotAllowed(`the verb ${verb} is not served for ${what}`, methods)
}

async function readObject({ request }: Call): Promise<unknown> {
  const body = await request.readBody(maxObjectBytes)
  return parseJsonBody(request.headers['content-type'], body, ['application/json']).value
}
