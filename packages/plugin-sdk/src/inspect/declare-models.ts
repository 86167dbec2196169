import {
  kindFault,
  maxReferences,
  nearest,
  resourceNameFault,
  schemaReferences,
  usersTarget,
  type JsonSchema,
  type ModelDeclaration,
  type ObjectSchema,
} from '@pergola/api'
import type { AnyModel } from '../model/model.ts'
import type { AnyPlugin } from '../plugin.ts'
import { about, type Report } from './faults.ts'
import { declareIndexes, isAsync } from './declare-indexes.ts'
import { optionFaults } from './option-faults.ts'
import { isObject, isSecret, plainSchema } from './plain-schema.ts'

export function declareModels(
  { models = [], dependencies }: Pick<AnyPlugin, 'models' | 'dependencies'>,
  report: Report,
): readonly ModelDeclaration[] {
  const taken = new Map<string, string>()
  const declared = models.map((model, at) => {
    const { group, kind, singular, plural } = model
    const where = `models.${kind}`
    const names = [plural, singular, `kind ${kind}`]
    const twice = names.find((name) => taken.has(`${group} ${name}`))
    if (twice !== undefined) {
      const holder = taken.get(`${group} ${twice}`)
      report(where, `"${twice}" is also a name of ${holder}; in a group, kinds differ, and so do singulars and plurals`)
    }
    for (const name of names) taken.set(`${group} ${name}`, `models[${at}]`)
    return declareModel(model, where, report)
  })
  for (const model of declared) {
    missingTargets(model, declared, report)
    if (!dependencies) missingDependencies(model, declared, report)
    misplacedReferences(model, report)
  }
  return declared
}

/** A reference to a model in a group of the plugin needs that model; others are looked for when the plugin starts. */
function missingTargets(model: ModelDeclaration, models: readonly ModelDeclaration[], report: Report): void {
  for (const { path, target } of model.versions.flatMap(({ schema }) => schemaReferences(schema))) {
    const inGroup = models.filter(({ group }) => group === target.group)
    if (inGroup.length === 0 || inGroup.some(({ plural }) => plural === target.plural)) continue
    const meant = nearest(
      target.plural,
      inGroup.map(({ plural }) => plural),
    )
    const cure = meant === undefined ? 'add it' : `add it, or write "${target.group}/${meant}"`
    report(
      `models.${model.kind}.${path}`,
      `refers to ${target.plural} of ${target.group}, which is not in "models"; ${cure}`,
    )
  }
}

function missingDependencies(model: ModelDeclaration, models: readonly ModelDeclaration[], report: Report): void {
  for (const { path, target } of model.versions.flatMap(({ schema }) => schemaReferences(schema))) {
    if (target.group === usersTarget.group || models.some(({ group }) => group === target.group)) continue
    report(
      `models.${model.kind}.${path}`,
      `refers to ${target.plural} of ${target.group}, a model of another plugin; name that plugin in "dependencies", such as { shop: '>=1 <2' }`,
    )
  }
}

function misplacedReferences({ kind, versions }: ModelDeclaration, report: Report): void {
  for (const { schema } of versions) {
    const known = new Set(schemaReferences(schema).map(({ pointer }) => pointer))
    for (const pointer of placesOfReferences(schema, '')) {
      if (known.has(pointer)) continue
      const path = pointer
        .replace(/\/x-reference$/, '')
        .replaceAll('/items', '[]')
        .replaceAll('/properties/', '.')
      report(`models.${kind}${path}`, 'a reference belongs on a text of spec, in at most one array')
    }
    if (known.size > maxReferences) report(`models.${kind}`, `has ${known.size} references; at most ${maxReferences}`)
  }
}

/** JSON Pointers of every `x-reference`. */
function placesOfReferences(schema: unknown, pointer: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, below]) => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const isReference = key === 'x-reference' && !pointer.endsWith('/properties')
    return isReference ? [at] : placesOfReferences(below, at)
  })
}

function declareModel(model: AnyModel, where: string, report: Report): ModelDeclaration {
  const { group, version, kind, singular, plural, composites, display } = model
  optionFaults('model', model, (fault) => report(where, fault))
  report(`${where}.kind`, about(kind, kindFault(kind)))
  report(`${where}.singular`, about(singular, resourceNameFault(singular)))
  report(`${where}.plural`, about(plural, resourceNameFault(plural)))
  const schema = schemaOf(model, where, report)
  const indexes = declareIndexes(model, { schema, where }, report)
  if (isAsync(model.check)) report(`${where}.check`, 'is asynchronous; it must answer at once')
  return {
    group,
    kind,
    singular,
    plural,
    specRequired: true,
    ...(model.statusSubresource && { statusSubresource: true }),
    versions: [{ name: version, schema }],
    ...(indexes.length > 0 && { indexes }),
    ...(composites.length > 0 && { composites }),
    ...(display && { display }),
    check: model.check !== undefined,
  }
}

/** Moves `$defs` to the root, where `#/$defs/<name>` resolves. */
function schemaOf({ spec, status }: AnyModel, where: string, report: Report): ObjectSchema {
  const parts = Object.entries({ spec, status }).flatMap(([part, schema]) =>
    schema === undefined ? [] : [[part, plainSchema(schema, `${where}.${part}`, report)] as const],
  )
  const $defs: Record<string, JsonSchema> = {}
  const properties: Record<string, JsonSchema> = {}
  for (const [part, { $defs: own = {}, ...schema }] of parts) {
    if (schema['type'] !== 'object') report(`${where}.${part}`, 'must be an object; write t.Object({ ... })')
    for (const place of secretsIn(schema, `${where}.${part}`)) {
      report(place, 'everybody who may get the object can read this secret; move it to the settings')
    }
    for (const [name, definition] of Object.entries(own as Record<string, JsonSchema>)) {
      if (name in $defs && JSON.stringify($defs[name]) !== JSON.stringify(definition)) {
        report(`${where}.${part}.$defs.${name}`, 'means something else in spec; give it another name')
      }
      $defs[name] = definition
    }
    properties[part] = schema
  }
  return { properties, ...(Object.keys($defs).length > 0 && { $defs }) }
}

/** Paths of all secrets in a schema. */
export function secretsIn(schema: unknown, where: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, at) => secretsIn(one, `${where}[${at}]`))
  if (!isObject(schema)) return []
  const below = Object.entries(schema).flatMap(([key, one]) =>
    secretsIn(one, key === 'properties' ? where : `${where}.${key}`),
  )
  return isSecret(schema) ? [where, ...below] : below
}
