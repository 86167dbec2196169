import { ApiError } from '@pergola/api'
import type { ResourceType } from './object-types.ts'

export function collectionPath({ group, version, plural }: ResourceType): string {
  return group === '' ? join('api', version, plural) : join('apis', group, version, plural)
}

export function objectPath(type: ResourceType, name: string, subresource?: string): string {
  return `${collectionPath(type)}${join(name, ...(subresource === undefined ? [] : [subresource]))}`
}

function join(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encoded(segment)}`).join('')
}

/** Rejects segments that URL parsers drop: the request would hit another object, or the whole collection. */
function encoded(segment: string): string {
  if (segment !== '' && segment !== '.' && segment !== '..') return encodeURIComponent(segment)
  throw new ApiError('BadRequest', `"${segment}" cannot be a part of a path; give the object's name`)
}
