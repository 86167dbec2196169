import { toProblem, type ApiError } from '@pergola/api'
import type { Frame } from '../call/wire.ts'
import type { Model } from '../models/model.ts'
import { headOf, shownData } from '../models/object-bytes.ts'
import type { StoredObject } from '../store/store.ts'
import type { EventType } from './selection.ts'

interface EventParts {
  readonly type: EventType
  readonly model: Model
  readonly object: StoredObject
  /** Absent while the present objects are being sent: there is no position to continue from yet. */
  readonly revision?: string
}

const end = Buffer.from('}')

export function eventFrame({ type, model, object, revision }: EventParts): Frame {
  const position = revision === undefined ? '' : `"revision":"${revision}",`
  const head = Buffer.from(`{"type":"${type}",${position}"object":${headOf(model, object)}`)
  return { revision, json: [head, shownData(model, object), end] }
}

export function bookmarkFrame(revision: string): Frame {
  return { revision, json: [Buffer.from(`{"type":"BOOKMARK","revision":"${revision}"}`)] }
}

export interface ErrorContext {
  readonly instance: string
  readonly requestId: string
  /** The last sent revision, if any. */
  readonly revision?: string
}

export function errorFrame(error: ApiError, { instance, requestId, revision }: ErrorContext): Frame {
  const object = toProblem(error, { instance, requestId })
  return { revision, json: [Buffer.from(JSON.stringify({ type: 'ERROR', revision, object }))] }
}
