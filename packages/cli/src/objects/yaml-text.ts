import { stringify } from 'yaml'

/** Formats YAML for editing and applying: long strings stay on one line, and control characters are escaped. */
export function yamlText(object: unknown): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })
}
