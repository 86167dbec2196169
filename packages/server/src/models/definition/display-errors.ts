import { displayedMetadata, iconFault, resolveIndexPath, type FieldError, type ObjectSchema } from '@pergola/api'
import { fieldError } from '../../call/field-error.ts'
import type { ModelSpec } from './definition.ts'

/** Errors in `display` that its schema cannot express: unknown icons, and paths that lead to nothing that can be shown. */
export function displayErrors({ display = {}, versions }: ModelSpec): readonly FieldError[] {
  const [version] = versions
  if (!version) return []
  const { title, summary, icon, columns = [] } = display
  const { schema } = version
  const faults: readonly (readonly [place: string, value: string | undefined, fault: string | undefined])[] = [
    ['title', title, title === undefined ? undefined : titleFault(schema, title)],
    ['summary', summary, summary === undefined ? undefined : pathFault(schema, summary)],
    ['icon', icon, icon === undefined ? undefined : iconFault(icon)],
    ...columns.map((path, at) => {
      const fault = columns.indexOf(path) < at ? 'is listed twice' : pathFault(schema, path)
      return [`columns/${at}`, path, fault] as const
    }),
  ]
  return faults.flatMap(([place, value, fault]) =>
    fault === undefined ? [] : [fieldError(`/spec/display/${place}`, 'display', `"${value}" ${fault}`)],
  )
}

function titleFault(schema: ObjectSchema, path: string): string | undefined {
  if (path === 'metadata.name') return undefined
  const resolved = resolveIndexPath(schema, path)
  const isText = 'type' in resolved && resolved.type === 'string' && !resolved.multi
  return isText ? undefined : (pathFault(schema, path) ?? 'must be the path of a string')
}

function pathFault(schema: ObjectSchema, path: string): string | undefined {
  if (displayedMetadata.some((known) => known === path)) return undefined
  const resolved = resolveIndexPath(schema, path)
  if ('type' in resolved && !path.includes('[]')) return undefined
  if ('type' in resolved) return 'is in an array of objects, which tables do not show'

  const isMissing = /^(is not in|must begin)/.test(resolved.fault)
  return isMissing ? resolved.fault : 'must be the path of a string, a number, a boolean, or an array of one of them'
}
