import { stringify } from 'yaml'

/** As it can be edited and applied: long texts stay on a line, and nothing in it moves a cursor. */
export function yamlText(object: unknown): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })
}
