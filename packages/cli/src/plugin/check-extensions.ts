import { objectNameFault, type PluginDefinition, type RoleDeclaration } from '@pergola/api'
import { at, AuthorFault } from './author-fault.ts'
import { checkRole } from './check-role.ts'
import { isJson, isReserved, type Json, type Report } from './declared-json.ts'
import type { DeclaredObject, ExtensionFile } from './read-extensions.ts'

/** Validates the objects in `extensions/` against the definition. Returns the role templates among them. */
export function checkExtensions(
  files: readonly ExtensionFile[],
  definition: PluginDefinition,
): readonly RoleDeclaration[] {
  const faults: string[] = []
  const taken = new Map(
    definition.roles.map(({ metadata }) => [`v1alpha1 Role ${metadata.name}`, 'roles of the plugin'] as const),
  )
  const roles: RoleDeclaration[] = []
  for (const object of files.flatMap(({ objects }) => objects)) {
    const report: Report = (path, message) => faults.push(at(object.placeOf(path), message))
    const role = checkObject(object, { definition, taken, report })
    if (role) roles.push(role)
  }
  const names = new Set([...definition.roles, ...roles].map(({ metadata }) => metadata.name))
  for (const object of files.flatMap(({ objects }) => objects)) {
    const missing = ownDependencies(object, definition.name).find((name) => !names.has(name))
    if (missing === undefined) continue
    faults.push(
      at(object.placeOf(['metadata', 'annotations']), `depends on "${missing}", which this plugin does not have`),
    )
  }
  if (faults.length > 0) throw new AuthorFault(faults)
  return roles
}

interface Frame {
  readonly definition: PluginDefinition
  /** Names in use, with the location of each. */
  readonly taken: Map<string, string>
  readonly report: Report
}

function checkObject({ value, placeOf }: DeclaredObject, frame: Frame): RoleDeclaration | undefined {
  const { definition, taken, report } = frame
  const { apiVersion, kind, metadata } = isJson(value) ? value : {}
  const name = isJson(metadata) ? metadata['name'] : undefined
  if (!isJson(value) || typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
    report([], 'a declared object has apiVersion, kind and metadata.name')
    return undefined
  }
  const fault = objectNameFault(name)
  if (fault !== undefined) report(['metadata', 'name'], `"${name}" ${fault}`)
  const key = `${apiVersion} ${kind} ${name}`
  const holder = taken.get(key)
  if (holder !== undefined) {
    report(['metadata', 'name'], `${kind} "${name}" stands in ${holder} too; write it in one place`)
  }
  taken.set(key, at(placeOf(['metadata', 'name']), '').trimEnd())
  if (apiVersion === 'v1alpha1' && kind === 'Role') return checkRole(value, definition, report)
  checkForeign({ apiVersion, kind }, definition, report)
  checkKeys(value, report)
  return undefined
}

/** Accepts the plugin's own models and groups that it requests; the host checks the rest. */
function checkForeign(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  { models, permissions }: PluginDefinition,
  report: Report,
): void {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const kinds = models.map((model) => `${model.kind} (${model.group}/${model.versions[0]?.name ?? ''})`)
  if (kinds.includes(`${kind} (${apiVersion})`)) return
  const isAsked = permissions.some(
    (rule) => 'apiGroups' in rule && (rule.apiGroups.includes(group) || rule.apiGroups.includes('*')),
  )
  if (isAsked && !models.some((model) => model.group === group)) return
  const own = kinds.length > 0 ? `this plugin has ${kinds.join(', ')}` : 'this plugin has no models'
  report(['kind'], `is ${kind} (${apiVersion}); ${own}, and asks for nothing in that group`)
}

/** Rejects keys without a prefix and keys of the platform. */
function checkKeys(value: Json, report: Report): void {
  const { metadata } = value
  for (const part of ['labels', 'annotations']) {
    const keys = isJson(metadata) && isJson(metadata[part]) ? Object.keys(metadata[part]) : []
    for (const key of keys.filter(isReserved)) {
      report(['metadata', part, key], `the key "${key}" is reserved; begin it with a domain of your own and "/"`)
    }
  }
}

function ownDependencies({ value }: DeclaredObject, plugin: string): readonly string[] {
  const { metadata } = isJson(value) ? value : {}
  const annotations = isJson(metadata) && isJson(metadata['annotations']) ? metadata['annotations'] : {}
  const text = annotations['rbac.authorization.platform.run/dependencies']
  try {
    const names: unknown = typeof text === 'string' ? JSON.parse(text) : []
    return Array.isArray(names) ? names.map(String).filter((name) => name.startsWith(`${plugin}-`)) : []
  } catch {
    return []
  }
}
