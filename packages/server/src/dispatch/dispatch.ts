import {
  ApiError,
  ownedVerbs,
  type NonResourceRequest,
  type OwnedVerb,
  type ResourceRequest,
  type Verb,
} from '@pergola/api'
import { pathNotFound } from '../call/not-found.ts'
import type { Answer, Call, Caller, Handler } from '../call/call.ts'
import type { ProxiedAnswer } from '../call/proxied-answer.ts'
import type { Reply } from '../call/reply.ts'
import type { Stream } from '../call/wire.ts'
import type { Clock } from '../base/clock.ts'
import { methodNotAllowed } from '../call/method-not-allowed.ts'
import { fencedStore, fenceOf, unfenced } from '../models/fence.ts'
import type { FindHostHandler } from './host-routes.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import { createdAnswer, objectAnswer, readAnswer } from '../models/verbs/answers.ts'
import { createObject } from '../models/verbs/create.ts'
import { deleteCollection } from '../models/verbs/delete-collection.ts'
import { deleteObject } from '../models/verbs/delete.ts'
import { preconditionsIn } from '../models/verbs/etag.ts'
import { getObject } from '../models/verbs/get.ts'
import { listObjects } from '../models/verbs/list.ts'
import type { Model } from '../models/model.ts'
import { maxObjectBytes } from '../models/object-bytes.ts'
import { patchObject, patchTypes, type PatchType } from '../models/verbs/patch.ts'
import { fieldsOf } from '../models/query/fields.ts'
import { flag, refuseUnknown } from '../models/query/query-parameters.ts'
import type { RelatedParts } from '../models/query/related.ts'
import { refuseCreate, refuseSubresource } from '../models/verbs/refuse-verb.ts'
import { mayReferOf, withReferrers } from '../models/referrers.ts'
import type { ModelRegistry } from '../models/definition/registry.ts'
import type { StreamLimits } from '../models/query/stream-limits.ts'
import { createdByOwner, type OwnedResource, type OwnerScope } from '../models/verbs/owner-scope.ts'
import { unbuiltIndex } from '../models/definition/unbuilt-index.ts'
import { updateObject } from '../models/verbs/update.ts'
import { holderIn, withoutHolder } from '../models/verbs/write-errors.ts'
import type { Store } from '../store/store.ts'
import { parseJsonBody, type AcceptedBody } from '../validation/json-body.ts'
import { watchObjects, type WatchParts } from '../watch/watch-objects.ts'

export interface DispatchParts {
  readonly store: Store
  readonly clock: Clock
  readonly models: ModelRegistry
  readonly streams: StreamLimits
  readonly watching: WatchParts
  readonly hostHandler: FindHostHandler
  /** Documents and files at non-resource paths; read-only. */
  readonly page: (path: string) => Handler | undefined
  /** What a plugin has at the path; throws when the plugin must be started for that and is not. */
  readonly pluginAt: (call: Call) => PluginReach
  /** Whether the caller may send the request: whether it may know of objects that its own request did not name. */
  readonly mayGet: (caller: Caller, request: ResourceRequest) => Promise<boolean>
  /** Whether the caller may send the request for some name. */
  readonly maySome: (caller: Caller, request: ResourceRequest) => Promise<boolean>
  /** Throws if the models of the group are not served at the moment. */
  readonly assertServed: (group: string) => void
}

/** Nothing where the host itself serves a model, or nobody serves anything. */
interface PluginReach {
  /** The model of the owned objects, and the path of the owner's name. */
  readonly owned?: OwnedResource
  readonly proxied?: ProxiedAnswer
}

/** Sends an allowed request to the verb or endpoint that answers it. */
export type Dispatch = (call: Call) => Promise<Reply>

export function createDispatch(parts: DispatchParts): Dispatch {
  return async (call) => {
    const { info } = call
    const fence = fenceOf(call)
    const toObjects = fence ? { ...parts, store: fencedStore(parts.store, fence) } : parts
    const endpoint = parts.hostHandler(call)
    if (endpoint) return endpoint(call)
    const page = info.kind === 'resource' ? undefined : pageOf(parts, info)
    const { owned, proxied }: PluginReach = page ? {} : parts.pluginAt(call)
    if (fence && (page || proxied)) throw unfenced()
    if (page) return page(call)
    if (proxied) return proxied
    if (info.kind !== 'resource') throw pathNotFound(info.path)
    return owned
      ? dispatchOwned(toObjects, call, { request: info, owned })
      : dispatchVerb(toObjects, call, { request: info })
  }
}

function pageOf(parts: DispatchParts, { verb, path }: NonResourceRequest): Handler | undefined {
  const page = parts.page(path)
  if (page && verb !== 'get') throw methodNotAllowed(`the verb ${verb} is not served at ${path}`, ['GET', 'HEAD'])
  return page
}

/** The methods of a path, for `Allow`. */
const collectionMethods = ['GET', 'HEAD', 'POST', 'DELETE']
export const objectMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
const withoutCreate = collectionMethods.filter((method) => method !== 'POST')
const ownedCollectionMethods = collectionMethods.filter((method) => method !== 'DELETE')
const statusMethods = ['GET', 'HEAD', 'PUT', 'PATCH']

/** The body is read once: the verb may be repeated with another definition. */
async function dispatchVerb(
  parts: DispatchParts,
  call: Call,
  { request, scope }: { readonly request: ResourceRequest; readonly scope?: OwnerScope },
): Promise<Answer | Stream> {
  const { group, version, resource, name, subresource } = request
  const address = { group, version, plural: resource }
  const model = await parts.models.find(address)
  const verb = verbOf(model, request, scope !== undefined)
  const body = verb.reads ? await readBody(call, { types: verb.reads, maxDepth: model.rules.maxJsonDepth }) : undefined
  try {
    return await parts.models.using(address, (current) =>
      verb.run(parts, current, { call, body, name, subresource, scope }),
    )
  } catch (error) {
    const { subresource: _, ...object } = request
    const mayGet = (one: string) => parts.mayGet(call.caller, { ...object, verb: 'get', name: one })
    const holder = holderIn(error)
    if (holder === undefined) {
      const may = (one: ResourceRequest) => parts.mayGet(call.caller, one)
      const unbuilt = await unbuiltIndex(error, model, { store: parts.store, mayGet })
      throw await withReferrers(unbuilt, { store: parts.store, models: parts.models, may })
    }
    throw (await mayGet(holder)) ? error : withoutHolder(error, model)
  }
}

/** Runs the same verbs on the caller's own objects. */
async function dispatchOwned(
  parts: DispatchParts,
  call: Call,
  { request, owned }: { readonly request: ResourceRequest; readonly owned: OwnedResource },
): Promise<Answer | Stream> {
  const { caller } = call
  const { verb, resource } = request
  if (caller.kind === 'anonymous') throw new ApiError('Unauthenticated', `sign in to have ${resource} of your own`)
  const { path, readOnly, verbs = ownedVerbs } = owned
  if (!verbs.some((served) => served === verb)) notServed(verb, `your own ${resource}`, methodsOf(verbs, request))
  const scope = { path, owner: caller.name, ...(readOnly && { readOnly }) }
  return dispatchVerb(parts, call, { request: { ...request, group: owned.group }, scope })
}

const methodByVerb: Readonly<Record<OwnedVerb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** The methods of a path of owned objects, for `Allow`. */
function methodsOf(verbs: readonly OwnedVerb[], { name }: ResourceRequest): readonly string[] {
  const here = verbs.filter(
    (verb) => verb === 'watch' || (verb === 'list' || verb === 'create') === (name === undefined),
  )
  const methods = new Set(here.map((verb) => methodByVerb[verb]))
  return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

interface Sent {
  readonly call: Call
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  readonly scope: OwnerScope | undefined
}

interface ServedVerb {
  /** The content types that it accepts; none refuses any body. Without it, the body is not looked at. */
  readonly reads?: readonly string[]
  readonly run: (parts: DispatchParts, model: Model, sent: Sent) => Promise<Answer | Stream>
}

const json = ['application/json']
const noBody: readonly string[] = []

const list: ServedVerb = {
  run: async (parts, model, { call: { request, caller }, scope }) => {
    const { query, address } = request
    const related: RelatedParts = {
      ...parts,
      may: (one) => parts.mayGet(caller, one),
      maySome: (one) => parts.maySome(caller, one),
      isAnonymous: caller.kind === 'anonymous',
    }
    const { body, end } = await listObjects(parts, model, { query, address, caller, scope, related })
    const mayCompress = model.rules.sealing === undefined && model.rules.describesCredentials !== true
    return { ...jsonAnswer(200, body), mayCompress, ...(end && { end }) }
  },
}
const create: ServedVerb = {
  reads: json,
  run: async (parts, model, { call, body, scope }) => {
    const value = scope ? createdByOwner(model, body?.value, scope) : body?.value
    const mayRefer = mayReferOf(parts.models, (one) => parts.mayGet(call.caller, one))
    const request = { body: value, caller: call.caller, dryRun: dryRunOf(call), mayRefer }
    return createdAnswer(model, await createObject(parts, model, request))
  },
}
const removeAll: ServedVerb = {
  reads: noBody,
  run: async (parts, model, { call: { caller, request } }) => {
    const { query } = request
    const how = { query, caller, signal: request.signal(), dryRun: flag(query, 'dryRun') }
    return jsonAnswer(200, Buffer.from(JSON.stringify(await deleteCollection(parts, model, how))))
  },
}
const get: ServedVerb = {
  run: async ({ store }, model, { call: { request }, name = '', scope }) => {
    const { query, headers } = request
    refuseUnknown(query, ['fields'])
    const fields = fieldsOf(model, query)
    return readAnswer(model, await getObject(store, model, { name, scope }), { headers, fields })
  },
}
const update: ServedVerb = {
  reads: json,
  run: async (parts, model, sent) =>
    objectAnswer(model, await updateObject(parts, model, { ...target(parts, sent), bodyFor: () => sent.body?.value })),
}
const patch: ServedVerb = {
  reads: Object.keys(patchTypes),
  run: async (parts, model, sent) => {
    const { mediaType, value: patched } = sent.body ?? {}
    const request = { ...target(parts, sent), type: mediaType as PatchType, patch: patched }
    return objectAnswer(model, await patchObject(parts, model, request))
  },
}
const remove: ServedVerb = {
  reads: noBody,
  run: async (parts, model, { call, name = '', scope }) => {
    const { caller, request } = call
    const how = { name, ...preconditionsIn(request.headers), caller, dryRun: dryRunOf(call), scope }
    return objectAnswer(model, await deleteObject(parts, model, how))
  },
}

const watch: ServedVerb = {
  run: ({ watching }, model, { call, name, scope }) => watchObjects(watching, model, { call, name, scope }),
}

type Served = Partial<Record<Verb, ServedVerb>>
const ofCollection: Served = { list, watch, create, deletecollection: removeAll }
const ofObject: Served = { get, watch, update, patch, delete: remove }
const ofStatus: Served = { get, update, patch }

function verbOf(model: Model, { name, subresource, verb }: ResourceRequest, isOwned: boolean): ServedVerb {
  if (subresource !== undefined) {
    refuseSubresource(model, subresource)
    return ofStatus[verb] ?? notServed(verb, `the status of a ${model.singular}`, statusMethods)
  }
  if (name !== undefined) return ofObject[verb] ?? notServed(verb, `a ${model.singular}`, objectMethods)
  const { createdAt } = model.rules
  const methods = isOwned ? ownedCollectionMethods : createdAt === undefined ? collectionMethods : withoutCreate
  if (verb === 'create') refuseCreate(model, methods)
  return ofCollection[verb] ?? notServed(verb, model.plural, methods)
}

function notServed(verb: Verb, what: string, methods: readonly string[]): never {
  throw methodNotAllowed(`the verb ${verb} is not served for ${what}`, methods)
}

function target({ models, mayGet }: DispatchParts, { call, name = '', subresource, scope }: Sent) {
  return {
    name,
    scope,
    ...preconditionsIn(call.request.headers),
    caller: call.caller,
    dryRun: dryRunOf(call),
    part: subresource === 'status' ? ('status' as const) : ('object' as const),
    mayRefer: mayReferOf(models, (one) => mayGet(call.caller, one)),
  }
}

function dryRunOf({ request }: Call): boolean {
  refuseUnknown(request.query, ['dryRun'])
  return flag(request.query, 'dryRun')
}

async function readBody({ request }: Call, accepted: AcceptedBody<string>) {
  const bytes = await request.readBody(maxObjectBytes)
  if (accepted.types.length === 0) return refuseAny(bytes)
  return parseJsonBody(request.headers['content-type'], bytes, accepted)
}

/** Other APIs take preconditions in the body of a DELETE: ignoring one would delete what its sender meant to keep. */
function refuseAny(bytes: Buffer): undefined {
  if (bytes.length === 0) return undefined
  throw new ApiError(
    'BadRequest',
    'a DELETE takes no body; send a precondition as If-Match with the ETag of the object, and selectors in the query',
  )
}
