import { ApiError, type ResourceRequest, type Verb } from '@pergola/api'
import type { Answer, Call, Handler } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import type { Endpoint } from './endpoint.ts'
import { createObject } from '../models/create.ts'
import { deleteCollection } from '../models/delete-collection.ts'
import { deleteObject } from '../models/delete.ts'
import { getObject } from '../models/get.ts'
import { listObjects } from '../models/list.ts'
import type { Model } from '../models/model.ts'
import { maxObjectBytes } from '../models/object-bytes.ts'
import { patchObject, patchTypes, type PatchType } from '../models/patch.ts'
import { flag, refuseUnknown } from '../models/query-parameters.ts'
import type { ModelRegistry } from '../models/registry.ts'
import type { StreamLimits } from '../models/stream-limits.ts'
import { updateObject } from '../models/update.ts'
import type { Store } from '../store/store.ts'
import { parseJsonBody } from '../validation/json-body.ts'

export interface DispatchParts {
  readonly store: Store
  readonly clock: Clock
  readonly models: ModelRegistry
  readonly streams: StreamLimits
  /** Who answers at a path that is no resource, if anybody does. */
  readonly endpoint: (path: string) => Endpoint | undefined
  /** Who answers at the path of a resource in place of a model, if anybody does. */
  readonly ownApi: (request: ResourceRequest) => Endpoint | undefined
}

/** Sends an allowed request to the verb or endpoint that answers it. */
export type Dispatch = Handler

export function createDispatch(parts: DispatchParts): Dispatch {
  return async (call) => {
    const { info } = call
    const endpoint = info.kind === 'resource' ? parts.ownApi(info) : parts.endpoint(info.path)
    if (!endpoint && info.kind === 'resource') return dispatchVerb(parts, call, info)
    if (!endpoint) throw new ApiError('NotFound', `there is nothing at ${info.path}`)
    const handler = endpoint[info.verb]
    if (!handler) throw methodNotAllowed(`the verb ${info.verb} is not served at ${info.path}`, methodsOf(endpoint))
    return handler(call)
  }
}

/** The methods a path takes, for `Allow`. */
const collectionMethods = ['GET', 'HEAD', 'POST', 'DELETE']
export const objectMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
const statusMethods = ['PUT', 'PATCH']

const methodOfVerb: Partial<Record<Verb, readonly string[]>> = {
  get: ['GET', 'HEAD'],
  list: ['GET', 'HEAD'],
  create: ['POST'],
  update: ['PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
  deletecollection: ['DELETE'],
}

function methodsOf(endpoint: Endpoint): readonly string[] {
  return (Object.keys(endpoint) as Verb[]).flatMap((verb) => methodOfVerb[verb] ?? [])
}

export function methodNotAllowed(detail: string, methods: readonly string[]): ApiError {
  const allow = methods.join(', ')
  return new ApiError('MethodNotAllowed', `${detail}; allowed here: ${allow}`, { headers: { allow } })
}

/** The body is read once: the verb may be done again, by another declaration. */
async function dispatchVerb(parts: DispatchParts, call: Call, request: ResourceRequest): Promise<Answer> {
  const { group, version, resource, name, subresource } = request
  const address = { group, version, plural: resource }
  const model = await parts.models.find(address)
  const verb = verbOf(model, request)
  const body = verb.reads ? await readBody(call, verb.reads) : undefined
  return parts.models.using(address, (current) => verb.run(parts, current, { call, body, name, subresource }))
}

interface Sent {
  readonly call: Call
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

interface ServedVerb {
  /** The types of body that it takes. */
  readonly reads?: readonly string[]
  readonly run: (parts: DispatchParts, model: Model, sent: Sent) => Promise<Answer>
}

const json = ['application/json']

const list: ServedVerb = {
  run: (parts, model, { call }) => listObjects(parts, model, { query: call.request.query, caller: call.caller }),
}
const create: ServedVerb = {
  reads: json,
  run: (parts, model, { call, body }) =>
    createObject(parts, model, { body: body?.value, caller: call.caller, dryRun: dryRunOf(call) }),
}
const removeAll: ServedVerb = {
  run: (parts, model, { call }) => {
    const { query } = call.request
    return deleteCollection(parts, model, { query, caller: call.caller, dryRun: flag(query, 'dryRun') })
  },
}
const get: ServedVerb = {
  run: ({ store }, model, { call, name = '' }) => {
    refuseUnknown(call.request.query, [])
    return getObject(store, model, { name, headers: call.request.headers })
  },
}
const update: ServedVerb = {
  reads: json,
  run: (parts, model, sent) => updateObject(parts, model, { ...target(sent), bodyFor: () => sent.body?.value }),
}
const patch: ServedVerb = {
  reads: Object.keys(patchTypes),
  run: (parts, model, sent) =>
    patchObject(parts, model, { ...target(sent), type: sent.body?.mediaType as PatchType, patch: sent.body?.value }),
}
const remove: ServedVerb = {
  run: (parts, model, { call, name = '' }) =>
    deleteObject(parts, model, { name, headers: call.request.headers, caller: call.caller, dryRun: dryRunOf(call) }),
}

type Served = Partial<Record<Verb, ServedVerb>>
const ofCollection: Served = { list, create, deletecollection: removeAll }
const ofObject: Served = { get, update, patch, delete: remove }
const ofStatus: Served = { update, patch }

function verbOf(model: Model, { name, subresource, verb }: ResourceRequest): ServedVerb {
  if (subresource !== undefined) {
    if (subresource !== 'status' || !model.statusSubresource || model.rules.ownsStatus) {
      throw new ApiError('NotFound', `${model.plural} have no sub-resource "${subresource}"`)
    }
    return ofStatus[verb] ?? notServed(verb, `the status of a ${model.singular}`, statusMethods)
  }
  if (name !== undefined) return ofObject[verb] ?? notServed(verb, `a ${model.singular}`, objectMethods)
  return ofCollection[verb] ?? notServed(verb, model.plural, collectionMethods)
}

function notServed(verb: Verb, what: string, methods: readonly string[]): never {
  throw methodNotAllowed(`the verb ${verb} is not served for ${what}`, methods)
}

function target({ call, name = '', subresource }: Sent) {
  return {
    name,
    headers: call.request.headers,
    caller: call.caller,
    dryRun: dryRunOf(call),
    part: subresource === 'status' ? ('status' as const) : ('object' as const),
  }
}

function dryRunOf({ request }: Call): boolean {
  refuseUnknown(request.query, ['dryRun'])
  return flag(request.query, 'dryRun')
}

async function readBody({ request }: Call, accepted: readonly string[]) {
  const bytes = await request.readBody(maxObjectBytes)
  return parseJsonBody(request.headers['content-type'], bytes, accepted)
}
