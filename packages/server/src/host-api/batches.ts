import { ApiError, isApiError, type Reason, type ResourceRequest } from '@pergola/api'
import type { Authorize } from '../access/decisions/authorize.ts'
import type { Answer, Call, Caller, NotedOperation } from '../call/call.ts'
import { fieldError, movedTo } from '../call/field-error.ts'
import type { HostRoute } from '../call/host-route.ts'
import { jsonAnswer } from '../call/json-answer.ts'
import type { WriteParts } from '../models/verbs/create.ts'
import { fencedStore, fenceOf } from '../models/fence.ts'
import type { Model } from '../models/model.ts'
import { toBytes } from '../models/object-bytes.ts'
import { jsonPatchType } from '../models/verbs/patch.ts'
import { errorsInPatch } from '../models/verbs/patch/sent-place.ts'
import { dryRunParameter, flag } from '../models/query/query-parameters.ts'
import { refuseCreate, refuseSubresource } from '../models/verbs/refuse-verb.ts'
import { mayReferOf, withReferrers } from '../models/referrers.ts'
import type { ModelRegistry } from '../models/definition/registry.ts'
import { failingAt, OperationFailed, writeBatch, type BatchOperation } from '../models/batch/write-batch.ts'
import { holderIn, withoutHolder } from '../models/verbs/write-errors.ts'
import { StaleModel } from '../store/stale-model.ts'
import type { StoredObject } from '../store/store.ts'
import { metadataOf, nameOf, readBatch, sentBatch, type SentOperation } from './sent-batch.ts'

/** Attempts when a definition changes between reading and using it. */
const maxTries = 5

export interface BatchParts extends WriteParts {
  readonly models: ModelRegistry
  readonly authorize: Authorize
  /** Throws if the models of the group are not served at the moment. */
  readonly assertServed: (group: string) => void
}

export function batchRoutes(parts: BatchParts): readonly HostRoute[] {
  const results = {
    type: 'array',
    description: 'One object per operation, in the same order, as a single request would return it.',
    items: { type: 'object', additionalProperties: true },
  }
  return [
    {
      id: 'writeBatch',
      method: 'POST',
      path: '/apis/api.platform.run/v1alpha1/batches',
      summary: 'Write several objects in one transaction',
      description:
        'All operations are stored, or none. Each needs the right that its own request needs, and is checked on the state that the operations before it leave. Errors point to `/operations/<i>`.',
      query: [dryRunParameter],
      body: { types: ['application/json'], schema: sentBatch },
      answers: [
        {
          status: 200,
          description: 'All operations were stored.',
          schema: { type: 'object', required: ['results'], properties: { results } },
        },
      ],
      failures: ['NotFound', 'MethodNotAllowed', 'AlreadyExists', 'PluginFailed', 'PluginNotStarted', 'PluginTimeout'],
      isFenced: true,
      handle: (call) => answerBatch(parts, call),
    },
  ]
}

/** An operation and its equivalent single request. */
interface Asked {
  readonly sent: SentOperation
  readonly info: ResourceRequest
}

async function answerBatch(parts: BatchParts, call: Call): Promise<Answer> {
  const { request, caller } = call
  const dryRun = flag(request.query, 'dryRun')
  const fence = fenceOf(call)
  const store = fence ? fencedStore(parts.store, fence) : parts.store
  const asked = (await readBatch(request)).map((sent) => ({ sent, info: infoOf(sent) }))
  const may = async (one: ResourceRequest) => (await parts.authorize(caller, one)).allowed
  const mayRefer = mayReferOf(parts.models, may)
  const decided = await Promise.all(asked.map((one) => decide(parts, caller, one)))
  try {
    refuseDenied(decided)
    const done = await withModels(parts, asked, async (operations) => {
      const results = await writeBatch({ store, clock: parts.clock }, operations, { caller, dryRun, mayRefer })
      return results.map((stored, at) => ({ stored, model: operations[at]?.model }))
    })
    request.note({ operations: decided.map(({ noted }, at) => ({ ...noted, name: done[at]?.stored.name })) })
    return jsonAnswer(200, toBody(done))
  } catch (error) {
    const failed = error instanceof OperationFailed ? error : undefined
    request.note({
      operations: decided.map(({ noted }, at) =>
        failed?.at === at ? { ...noted, reason: failed.cause.reason } : noted,
      ),
    })
    if (!failed) throw error
    const known = await withKnownHolder(parts, caller, { asked, failed })
    const problem = await withReferrers(known, { store, models: parts.models, may })
    throw problemAt(failed.at, asked, isApiError(problem) ? problem : known)
  }
}

function infoOf({ verb, apiVersion, resource, name, subresource }: SentOperation): ResourceRequest {
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  const path = [group === '' ? '/api' : '/apis', apiVersion, resource, name, subresource]
  return {
    kind: 'resource',
    verb,
    path: path.filter((segment) => segment !== undefined).join('/'),
    group,
    version,
    resource,
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  }
}

interface Decided {
  readonly noted: NotedOperation
  readonly denial?: ApiError
}

/** Authorizes an operation like its single request. Authorizes all, so that the audit log shows each decision. */
async function decide({ authorize }: BatchParts, caller: Caller, { sent, info }: Asked): Promise<Decided> {
  const decision = await authorize(caller, info)
  const noted = { info, name: nameOf(sent) }
  if (decision.allowed) return { noted: { ...noted, by: decision.by.reached.definition.name } }
  const denial = new ApiError(caller.kind === 'anonymous' ? 'Unauthenticated' : 'Forbidden', decision.reason(), {
    params: decision.params(),
  })
  return { noted: { ...noted, reason: denial.reason }, denial }
}

function refuseDenied(decided: readonly Decided[]): void {
  for (const [at, { denial }] of decided.entries()) if (denial) throw new OperationFailed(at, denial)
}

/** Runs `work` with the current definitions, and repeats it if one of them changed meanwhile. */
async function withModels<Done>(
  parts: BatchParts,
  asked: readonly Asked[],
  work: (operations: readonly BatchOperation[]) => Promise<Done>,
): Promise<Done> {
  for (let tries = 1; ; tries++) {
    const operations: BatchOperation[] = []
    for (const [at, one] of asked.entries()) operations.push(await failingAt(at, () => toOperation(parts, one)))
    try {
      return await work(operations)
    } catch (error) {
      if (!(error instanceof StaleModel)) throw error
      if (tries === maxTries) throw new ApiError('Unavailable', 'a model of the batch is being changed; try again')
      for (const { model } of operations) await parts.models.refresh(model)
    }
  }
}

async function toOperation(parts: BatchParts, { sent, info }: Asked): Promise<BatchOperation> {
  const { group, version, resource: plural, subresource } = info
  parts.assertServed(group)
  const model = await parts.models.using({ group, version, plural }, async (current) => current)
  if (subresource !== undefined) refuseSubresource(model, subresource)
  const { name = '', object, patchType } = sent
  const part = subresource === undefined ? 'object' : 'status'
  switch (sent.verb) {
    case 'create':
      refuseCreate(model, ['GET', 'HEAD', 'DELETE'])
      return { verb: 'create', model, object }
    case 'update':
      return { verb: 'update', model, name, part, object }
    case 'patch':
      if (patchType === undefined) throw new Error('a patch without a type passed validation')
      return { verb: 'patch', model, name, part, patchType, object }
    case 'delete':
      return { verb: 'delete', model, name, expected: metadataOf(object) }
  }
}

interface Result {
  readonly stored: StoredObject
  readonly model: Model | undefined
}

/** Joins the bytes of the objects, as lists do. */
function toBody(done: readonly Result[]): Buffer {
  const objects = done.flatMap(({ stored, model }, at) =>
    model ? [Buffer.from(at === 0 ? '' : ','), toBytes(model, stored)] : [],
  )
  return Buffer.concat([Buffer.from('{"results":['), ...objects, Buffer.from(']}')])
}

/** Locates problems that do not point into an object. */
const places: Partial<Record<Reason, string>> = {
  NotFound: '/name',
  ModelNotFound: '/resource',
  MethodNotAllowed: '/verb',
}
/** Omits headers that refer to one object. */
const keptHeaders = new Set(['allow', 'retry-after'])

/** The problem of an operation as the problem of its batch. */
function problemAt(at: number, asked: readonly Asked[], problem: ApiError): ApiError {
  const { reason, message, stored, headers, cause, params, referrers } = problem
  const place = `/operations/${at}`
  const { patchType, object } = asked[at]?.sent ?? {}
  const errors = problem.errors && patchType === jsonPatchType ? errorsInPatch(object, problem.errors) : problem.errors
  const pointed = errors?.map((error) => movedTo(`${place}/object${error.pointer ?? ''}`, error))
  return new ApiError(reason, `operations[${at}]: ${message}`, {
    cause,
    errors: pointed ?? [
      fieldError(`${place}${places[reason] ?? ''}`, 'operation', { message, params: { ...params, reason } }),
    ],
    ...(params && { params: { ...params, operation: at } }),
    ...(stored && { stored }),
    ...(referrers && { referrers }),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeaders.has(name))),
  })
}

interface Failure {
  readonly asked: readonly Asked[]
  readonly failed: OperationFailed
}

/** Names the object that has a unique value only to callers who may get it. */
async function withKnownHolder(parts: BatchParts, caller: Caller, { asked, failed }: Failure): Promise<ApiError> {
  const holder = holderIn(failed.cause)
  const info = asked[failed.at]?.info
  if (holder === undefined || !info) return failed.cause
  const { subresource: _, ...object } = info
  if ((await parts.authorize(caller, { ...object, verb: 'get', name: holder })).allowed) return failed.cause
  const { group, version, resource: plural } = info
  const hidden = withoutHolder(failed.cause, await parts.models.find({ group, version, plural }))
  return isApiError(hidden) ? hidden : failed.cause
}
