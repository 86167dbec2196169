import { ApiError } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import type { SealingKey } from '../../config/sealing-keys.ts'
import type { JsonObject } from '../object.ts'
import type { Sealing } from '../model.ts'
import { keyIdOf, openText, sealText } from './seal-text.ts'

/** Seals each value of `data` separately, so that one value can change without opening the others. */
export interface SecretSealing extends Sealing {
  /** Replaces values that equal the stored plain text by the stored sealed values. */
  recognise(object: JsonObject, place: { readonly uid: string; readonly stored: JsonObject }): JsonObject
  /** Seals with the first key every value sealed with another key; undefined when there is none. */
  reseal(object: JsonObject, uid: string): JsonObject | undefined
}

export function createSecretSealing(keys: readonly SealingKey[]): SecretSealing {
  const byId = new Map(keys.map((key) => [key.id, key]))
  const [first] = keys
  const open = (sealed: string, at: SealedField): string => {
    const id = keyIdOf(sealed)
    const key = byId.get(id ?? '')
    if (!key) throw missingKey(at, id)
    try {
      return openText(sealed, { key, place: placeOf(at) })
    } catch (cause) {
      const words = `the value "${at.field}" of the secret was not sealed for it, or has been changed; write it again`
      throw new ApiError('Unavailable', words, { cause })
    }
  }
  const opensTo = (sealed: string, at: SealedField, text: string): boolean => {
    if (!byId.has(keyIdOf(sealed) ?? '')) return false
    try {
      return open(sealed, at) === text
    } catch {
      return false
    }
  }
  return {
    field: 'data',
    seal: (object, { uid, stored }) => {
      const before = dataOf(stored)
      return withData(object, (value, field) => {
        if (value === before.get(field)) return value
        if (!first) throw noKey()
        return sealText(value, { key: first, place: placeOf({ uid, field }) })
      })
    },
    open: (object, uid) => withData(object, (value, field) => open(value, { uid, field })),
    withhold: (object) => {
      const { data: _, ...rest } = object
      return rest
    },
    recognise: (object, { uid, stored }) => {
      const before = dataOf(stored)
      return withData(object, (value, field) => {
        const sealed = before.get(field)
        return sealed !== undefined && opensTo(sealed, { uid, field }, value) ? sealed : value
      })
    },
    reseal: (object, uid) => {
      if (!first) throw noKey()
      if ([...dataOf(object).values()].every((sealed) => keyIdOf(sealed) === first.id)) return undefined
      return withData(object, (sealed, field) =>
        keyIdOf(sealed) === first.id
          ? sealed
          : sealText(open(sealed, { uid, field }), { key: first, place: placeOf({ uid, field }) }),
      )
    },
  }
}

interface SealedField {
  readonly uid: string
  readonly field: string
}

/** Uses the uid: a name may be reused by another object, a uid never is. */
function placeOf({ uid, field }: SealedField): string {
  return JSON.stringify(['secrets', uid, field])
}

/** The stored data, by field. */
function dataOf(object: JsonObject | undefined): ReadonlyMap<string, string> {
  const data = object?.['data']
  return new Map(isJsonObject(data) ? Object.entries(data as Record<string, string>) : [])
}

/** Leaves values that are not text unchanged; validation refuses them later. */
function withData(object: JsonObject, map: (value: string, field: string) => string): JsonObject {
  const { data } = object
  if (!isJsonObject(data)) return object
  const mapped = Object.entries(data).map(([field, value]) => [
    field,
    typeof value === 'string' ? map(value, field) : value,
  ])
  return { ...object, data: Object.fromEntries(mapped) as object }
}

function missingKey({ field }: SealedField, id: string | undefined): ApiError {
  return new ApiError(
    'Unavailable',
    `the value "${field}" of the secret is sealed with the key ${id ?? 'of a newer host'}, which this host does not have; add that key to secrets.keys, or write the value again`,
  )
}

function noKey(): ApiError {
  return new ApiError(
    'Unavailable',
    'secrets cannot be stored without an encryption key; set secrets.keys in the configuration of the server',
  )
}
