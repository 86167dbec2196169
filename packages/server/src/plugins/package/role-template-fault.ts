import { roleKeys, uiPermissionFault } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import type { DeclaredObject } from './declared-object.ts'
import type { Manifest } from './manifest.ts'

/** Why a plugin may not declare this role; undefined if it may. The package's approval covered the rights that it grants. */
export function templateFault(manifest: Manifest, { name, body }: DeclaredObject): string | undefined {
  if (!name.startsWith(`${manifest.name}-`)) return `the role ${name} must begin with "${manifest.name}-"`
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {}
  const labels = isJsonObject(metadata['labels']) ? metadata['labels'] : {}
  if (labels[roleKeys.template] !== 'true') return `the role ${name} needs the label ${roleKeys.template}: "true"`
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {}
  const foreign = uiPermissionsIn(annotations[roleKeys.uiPermissions]).find(
    (permission) => uiPermissionFault(manifest.name, permission) !== undefined,
  )
  if (foreign === undefined) return undefined
  return `the role ${name} names the UI permission "${foreign}", which ${uiPermissionFault(manifest.name, foreign)}`
}

/** Ignores malformed values: storing the role rejects them. */
function uiPermissionsIn(text: unknown): readonly string[] {
  try {
    const list: unknown = JSON.parse(String(text))
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}
