import type { ApiObject } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { visible } from '../terminal/visible.ts'
import { comparable } from './desired-object.ts'
import { changeLines, fieldChanges } from './field-changes.ts'
import { hidesData } from './stored-objects.ts'

export interface ChangedObject {
  readonly resource: KnownResource
  readonly before: ApiObject
  readonly after: ApiObject
  readonly plan: boolean
}

/** What became of an object: `todo milk changed`, and a line for each field. */
export function changedLines(
  { paint }: Pick<Terminal, 'paint'>,
  { resource, before, after, plan }: ChangedObject,
): readonly string[] {
  const name = `  ${resource.singular} ${visible(before.metadata.name)}`
  const changes = fieldChanges(comparable(before), comparable(after))
  if (changes.length === 0) return [`${name} unchanged`]
  const isSecret = (field: string) => hidesData(resource) && field.startsWith('data')
  const word = paint('green', plan ? 'would be changed' : 'changed')
  return [`${name} ${word}`, ...changeLines(changes, isSecret).map((line) => `      ${line}`)]
}
