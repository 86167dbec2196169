import { roleKeys, type FieldError, type Rule } from '@pergola/api'
import type { JsonObject } from '../models/object.ts'
import { fieldError, step } from '../call/field-error.ts'

/** What the labels and annotations of a role mean. */
export interface RoleWords {
  readonly rules: readonly Rule[]
  readonly dependencies: readonly string[]
  readonly aggregatesTo: readonly string[]
  readonly uiPermissions: readonly string[]
  readonly isTemplate: boolean
  readonly displayName?: string
}

const aggregation = roleKeys.aggregateTo

/** Reads a validated role. Values that a newer host stored in another form grant nothing. */
export function roleWords(role: JsonObject): RoleWords {
  const { labels = {}, annotations = {} } = role.metadata
  const displayName = annotations[roleKeys.displayName]
  return {
    rules: role['rules'] as readonly Rule[],
    dependencies: namesIn(annotations[roleKeys.dependencies]) ?? [],
    aggregatesTo: Object.keys(labels).flatMap((key) =>
      key.startsWith(aggregation) && labels[key] === 'true' ? [key.slice(aggregation.length)] : [],
    ),
    uiPermissions: namesIn(annotations[roleKeys.uiPermissions]) ?? [],
    isTemplate: labels[roleKeys.template] === 'true',
    ...(displayName !== undefined && { displayName }),
  }
}

/** Checks that a schema cannot express. */
export function roleFaults({ metadata: { annotations = {} } }: JsonObject): readonly FieldError[] {
  return [roleKeys.dependencies, roleKeys.uiPermissions].flatMap((annotation) =>
    annotations[annotation] === undefined || namesIn(annotations[annotation])
      ? []
      : [fieldError(step('/metadata/annotations', annotation), 'json', 'must be a JSON array of texts, as one text')],
  )
}

function namesIn(text: string | undefined): readonly string[] | undefined {
  try {
    const names: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : undefined
  } catch {
    return undefined
  }
}
