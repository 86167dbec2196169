import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../../call/call.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { isNotModified } from '../../call/not-modified.ts'
import type { StoredObject } from '../../store/store.ts'
import { etagOf } from './etag.ts'
import type { Fields } from '../query/fields.ts'
import { pathOf, type Model } from '../model.ts'
import { openedBytes, toBytes } from '../object-bytes.ts'

/** Turns results of verbs into HTTP answers. Verbs do not depend on HTTP. */
export function createdAnswer(model: Model, created: StoredObject): Answer {
  const headers = { location: `${pathOf(model)}/${created.name}`, etag: etagOf(created) }
  return jsonAnswer(201, toBytes(model, created), headers)
}

/** An object after a write or delete, without the fields that only `get` shows. */
export function objectAnswer(model: Model, stored: StoredObject): Answer {
  return jsonAnswer(200, toBytes(model, stored), { etag: etagOf(stored) })
}

interface Reading {
  readonly headers: IncomingHttpHeaders
  readonly fields?: Fields | undefined
}

const whole: Fields = (object) => object

/** An object for a reader; 304 when the reader already has this state. */
export function readAnswer(model: Model, stored: StoredObject, { headers, fields = whole }: Reading): Answer {
  const etag = etagOf(stored)
  if (isNotModified(headers, etag)) return jsonAnswer(304, Buffer.alloc(0), { etag })
  return jsonAnswer(200, fields(openedBytes(model, stored)), { etag })
}
