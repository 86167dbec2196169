import { declarerKey } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import type { JsonObject } from '../object.ts'

/** The plugin whose package declares the object; undefined for an object that people or programs made. */
export function declarerOf(object: JsonObject | undefined): string | undefined {
  return object?.metadata.annotations?.[declarerKey]
}

/** The object with this declarer, whatever the sender said. Malformed metadata is left to the checks. */
export function withDeclarer(object: JsonObject, declarer: string | undefined): JsonObject {
  const { metadata } = object
  if (!isJsonObject(metadata)) return object
  const { annotations = {} } = metadata
  if (!isJsonObject(annotations) || annotations[declarerKey] === declarer) return object
  const { [declarerKey]: _, ...others } = annotations as Readonly<Record<string, string>>
  const said = declarer === undefined ? others : { ...others, [declarerKey]: declarer }
  return { ...object, metadata: { ...metadata, annotations: said } }
}
