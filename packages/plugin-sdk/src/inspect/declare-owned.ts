import {
  audienceGroup,
  referencedSchema,
  resolveIndexPath,
  type JsonSchema,
  type ModelDeclaration,
  type OwnedDeclaration,
} from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import type { AnyOwned } from '../route/owned.ts'
import { allowFault } from './declare-routes.ts'
import { roleNameOf } from './declare-roles.ts'
import type { Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import type { Reachable } from './reach-faults.ts'
import { isReadable, segmentsOf, type Pattern } from './route-path.ts'

export interface ReachableOwned extends Reachable {
  readonly declaration: OwnedDeclaration
}

export function declareOwned(
  plugin: AnyPlugin,
  models: readonly ModelDeclaration[],
  report: Report,
): readonly ReachableOwned[] {
  for (const audience of ['console', 'public'] as const) {
    for (const { model } of ownedIn(plugin[audience])) {
      report(`${audience} owned ${model.kind}`, 'owned objects are served to users only; move this to uc')
    }
  }
  return ownedIn(plugin.uc).map((owned) => {
    const { model, path, allow } = owned
    const { group, version, plural, kind } = model
    const where = `uc owned ${kind}`
    optionFaults('owned', owned, (fault) => report(where, fault))
    const declared = models[plugin.models?.indexOf(model) ?? -1]
    if (!declared) report(where, 'the model is not in models of the plugin; add it there')
    else if (!isIndexedText(declared, path)) report(where, `"${path}" must be an index of ${kind} on one text`)
    else if (hasFixedValues(declared, path)) {
      report(where, `"${path}" allows only fixed values; the owner can be any user name, so use a text field`)
    }
    report(where, allowFault(plugin, allow))
    const patterns = patternsOf(`/apis/${audienceGroup('uc', group)}/${version}/${plural}`)
    const declaration = { group, plural, path, ...(allow && { allow: roleNameOf(plugin.name, allow) }) }
    return { where, allow, patterns: patterns.filter(isReadable), declaration }
  })
}

function ownedIn(part: AnyPlugin['uc']): readonly AnyOwned[] {
  return Array.isArray(part) ? part.filter((one): one is AnyOwned => !('handler' in one)) : []
}

/** Requests that the host serves for owned objects. */
function patternsOf(collection: string): readonly Pattern[] {
  const all = segmentsOf(collection)
  const one = segmentsOf(`${collection}/:name`)
  return [
    ...['GET', 'POST'].map((method) => ({ method, segments: all, stream: false })),
    ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, segments: one, stream: false })),
    ...[all, one].map((segments) => ({ method: 'GET', segments, stream: true })),
  ]
}

function isIndexedText({ versions, indexes = [] }: ModelDeclaration, path: string): boolean {
  const [version] = versions
  const isIndexed = indexes.some((index) => index.name === path && !('evaluated' in index))
  const resolved = version && resolveIndexPath(version.schema, path)
  return isIndexed && resolved !== undefined && 'type' in resolved && resolved.type === 'string' && !resolved.multi
}

/** True for an enum or a constant: every create would fail, because the host sets the field to the caller's name. */
function hasFixedValues({ versions: [version] }: ModelDeclaration, path: string): boolean {
  const { properties = {}, $defs = {} } = version?.schema ?? {}
  const resolved = (schema: JsonSchema = {}) => (referencedSchema(schema['$ref'], $defs) ?? schema) as JsonSchema
  const field = path.split('.').reduce<JsonSchema>(
    (schema, key) => {
      const known = resolved(schema)['properties'] as Readonly<Record<string, JsonSchema>> | undefined
      return known?.[key] ?? {}
    },
    { properties },
  )
  return 'enum' in resolved(field) || 'const' in resolved(field)
}
