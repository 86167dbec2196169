import type { JsonSchema } from '@pergola/api'
import type { AnySettings } from '../settings.ts'
import { secretsIn } from './declare-models.ts'
import type { Report } from './faults.ts'
import { isObject, isSecret, plainSchema } from './plain-schema.ts'

export function declareSettings({ schema }: AnySettings, report: Report): JsonSchema {
  const plain = plainSchema(schema, 'settings', report)
  if (plain['type'] !== 'object') report('settings', 'must be an object; write t.Object({ ... })')
  const { properties } = plain
  const fields = Object.entries(isObject(properties) ? properties : {})
  const top = new Set(fields.filter(([, field]) => isSecret(field)).map(([name]) => `settings.${name}`))
  for (const place of secretsIn(plain, 'settings')) {
    if (!top.has(place)) report(place, 'a secret is a field of the settings themselves; move it up')
  }
  for (const [name, field] of fields) {
    if (isSecret(field) && isObject(field) && field['type'] !== 'string') {
      report(`settings.${name}`, 'a secret is a text; write secret()')
    }
  }
  return plain
}
