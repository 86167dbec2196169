import type { ApiObject } from '@pergola/client'
import type { WrittenObject } from '../objects/read-documents.ts'
import { isObject } from '../objects/schema-at.ts'
import type { KnownResource } from '../server/known-resource.ts'

/** Where something stands in the file. */
interface Place {
  /** The first line, from 1. */
  readonly line: number
  readonly lastLine: number
  /** Position behind the last line, in bytes. */
  readonly end: number
}

/** An object of the file. */
export interface ImportItem extends Place {
  readonly resource: KnownResource
  readonly name: string
  /** The object to store, given the stored one: a CSV changes only the fields of its columns. */
  readonly build: (stored: ApiObject | undefined) => WrittenObject
}

/** A line that cannot be imported. */
interface FaultyLine extends Place {
  readonly fault: string
}

/** A header. What comes before it must be stored first, because it may have the model of what comes after it. */
interface Boundary extends Place {
  readonly isBoundary: true
}

export type ReadItem = ImportItem | FaultyLine
export type ReadPart = ReadItem | Boundary

export function isWritten(value: unknown): value is WrittenObject {
  if (!isObject(value) || !isObject(value['metadata'])) return false
  const { apiVersion, kind, metadata } = value
  return [apiVersion, kind, metadata['name']].every((word) => typeof word === 'string' && word !== '')
}
