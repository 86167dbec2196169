import { isJsonObject } from '../base/json-object.ts'
import type { DeclaredObject } from './declared-object.ts'
import type { Manifest } from './manifest.ts'

const templateLabel = 'platform.run/role-template'

/** Why a plugin may not declare this role; undefined when it may. The rights that it grants were approved with the package. */
export function templateFault(manifest: Manifest, { name, body }: DeclaredObject): string | undefined {
  if (!name.startsWith(`${manifest.name}-`)) return `the role ${name} must begin with "${manifest.name}-"`
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {}
  const labels = isJsonObject(metadata['labels']) ? metadata['labels'] : {}
  return labels[templateLabel] === 'true' ? undefined : `the role ${name} needs the label ${templateLabel}: "true"`
}
