import { isApiError, type FieldError } from '@pergola/client'
import { fieldErrorWords } from '../server/field-errors.ts'
import { problemWords } from '../server/problem-words.ts'
import { language, words } from '../words/words.ts'
import { withLabelOfIndex } from './duplicate-words.ts'
import { schemaAt, titleOf, type Schema } from './schema.ts'

/** Why the change of an object failed: each wrong field by its label, else the problem. */
export function failureWords(error: unknown, schema: Schema | undefined): readonly string[] {
  const errors = isApiError(error) ? (error.errors ?? []) : []
  const known = problemWords(withLabelOfIndex(error, schema)).detail
  const lines = errors.map((one) => {
    const label = labelOf(one, schema)
    if (label !== undefined) return words.value.objects.reason(label, fieldErrorWords(one))
    return one.rule === 'check' ? fieldErrorWords(one) : known
  })
  return lines.length > 0 ? [...new Set(lines)] : [known]
}

/** `spec.talks[0].title` as `Title`; undefined for the whole object and what is no field of it. */
function labelOf({ field }: FieldError, schema: Schema | undefined): string | undefined {
  const path = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const [part] = path
  if (path.length < 2 || !schema?.properties || part === undefined || !(part in schema.properties)) return undefined
  return titleOf(path.findLast((name) => !/^\d+$/.test(name)) ?? '', schemaAt(schema, path), language.value)
}
