import {
  audienceGroup,
  ownedVerbs,
  referencedSchema,
  resolveIndexPath,
  type JsonSchema,
  type ModelDeclaration,
  type ObjectSchema,
  type OwnedDeclaration,
  type OwnedVerb,
} from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import type { RoleTemplate } from '../role-template.ts'
import type { AnyOwned, OwnedGrant } from '../route/owned.ts'
import { allowFault, routesFor } from './declare-routes.ts'
import { roleNameOf } from './declare-roles.ts'
import type { Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import type { Reachable } from './reach-faults.ts'
import { isReadable, segmentsOf, type Pattern } from './route-path.ts'

export interface DeclaredOwned {
  readonly declaration: OwnedDeclaration
  /** What each template reaches; together they are one API. */
  readonly reachable: readonly Reachable[]
}

export function declareOwned(
  plugin: AnyPlugin,
  models: readonly ModelDeclaration[],
  report: Report,
): readonly DeclaredOwned[] {
  for (const audience of ['console', 'public'] as const) {
    for (const { model } of ownedIn(plugin[audience])) {
      report(`${audience} owned ${model.kind}`, 'owned objects are served to users only; move this to uc')
    }
  }
  return ownedIn(plugin.uc).map((owned) => {
    const { model, path, readOnly } = owned
    const { group, version, plural, kind } = model
    const where = `uc owned ${kind}`
    optionFaults('owned', owned, (fault) => report(where, fault))
    const declared = models[plugin.models?.indexOf(model) ?? -1]
    if (!declared) report(where, 'the model is not in models of the plugin; add it there')
    else if (!isIndexedText(declared, path)) report(where, `"${path}" must be an index of ${kind} on one text`)
    else if (hasFixedValues(declared, path)) {
      report(where, `"${path}" allows only fixed values; the owner can be any user name, so use a text field`)
    }
    const grants = grantsOf(plugin, owned, (fault) => report(where, fault))
    const verbs = grants && ownedVerbs.filter((verb) => grants.some((grant) => grant.verbs.includes(verb)))
    const isCreated = verbs?.includes('create') ?? true
    for (const fault of readOnlyFaults(declared, owned, isCreated)) report(where, fault)
    const patterns = patternsOf(`/apis/${audienceGroup('uc', group)}/${version}/${plural}`)
    // Routes that clash with verbs in use are reported together with other clashes.
    const unused = ownedVerbs.filter((verb) => verbs && !verbs.includes(verb)).flatMap((verb) => patterns[verb])
    for (const fault of addressFaults(plugin, plural, unused)) report(where, fault)
    const reachedBy = (allow: RoleTemplate | undefined, served: readonly OwnedVerb[]): Reachable => ({
      where,
      allow,
      patterns: served.flatMap((verb) => patterns[verb].filter(isReadable)),
    })
    return {
      reachable: grants?.map(({ to, verbs: granted }) => reachedBy(to, granted)) ?? [reachedBy(undefined, ownedVerbs)],
      declaration: {
        group,
        plural,
        path,
        ...(verbs && { verbs }),
        ...(grants && {
          allow: grants.map((grant) => ({ role: roleNameOf(plugin.name, grant.to), verbs: grant.verbs })),
        }),
        ...(readOnly && { readOnly }),
      },
    }
  })
}

interface KnownGrant {
  readonly to: RoleTemplate
  readonly verbs: readonly OwnedVerb[]
}

function grantsOf(
  plugin: AnyPlugin,
  { allow }: AnyOwned,
  fault: (message: string | undefined) => void,
): readonly KnownGrant[] | undefined {
  if (allow === undefined) return undefined
  if (!Array.isArray(allow)) {
    fault(`allow is a list of templates with their verbs: [{ to: template, verbs: ['get', 'list', 'watch'] }]`)
    return []
  }
  return (allow as readonly Partial<OwnedGrant>[]).flatMap((grant, at) => {
    optionFaults('grant', grant, (message) => fault(`allow[${at}]: ${message}`))
    const { to, verbs } = grant
    if (!to || verbs === undefined) {
      fault(`allow[${at}] needs a template and its verbs: { to: template, verbs: ['get', 'list', 'watch'] }`)
      return []
    }
    fault(allowFault(plugin, to))
    if (verbs.length === 0) fault(`allow[${at}] has no verbs; there are ${ownedVerbs.join(', ')}`)
    const unknown = verbs === '*' ? undefined : verbs.find((verb) => !ownedVerbs.includes(verb))
    if (unknown !== undefined) fault(`allow[${at}] has the verb "${unknown}"; there are ${ownedVerbs.join(', ')}`)
    return [{ to, verbs: verbs === '*' ? ownedVerbs : ownedVerbs.filter((verb) => verbs.includes(verb)) }]
  })
}

/** The host answers at the addresses of owned objects, also with 405. */
function addressFaults(plugin: AnyPlugin, plural: string, unused: readonly Pattern[]): readonly string[] {
  return routesFor(plugin, 'uc').flatMap(({ method, path }) => {
    const below = path.replace(/^\/apis\/[^/]+\/[^/]+/, '')
    const { length } = segmentsOf(`/apis/group/version${below}`)
    const isTaken = below.split('/')[1] === plural
    if (!isTaken || !unused.some((one) => one.method === method && one.segments.length === length)) return []
    return [
      `the route "${method} ${path}" has an address of these objects; give it another, such as "POST ${path}/..."`,
    ]
  })
}

function readOnlyFaults(
  declared: ModelDeclaration | undefined,
  { model, path, readOnly = [] }: AnyOwned,
  isCreated: boolean,
): readonly string[] {
  const [version] = declared?.versions ?? []
  return readOnly.flatMap((field) => {
    if (field === path) return [`"${field}" is set by the host; leave it out of readOnly`]
    const steps = version ? stepsOf(version.schema, field) : []
    const missing = steps.findIndex(({ schema }) => schema === undefined)
    if (missing >= 0) return [`readOnly has "${field}", which the schema of ${model.kind} does not have`]
    // The host sets the owner, so the object always has a spec.
    const [, ...below] = steps
    if (!isCreated || below.length === 0 || !below.every(({ isRequired }) => isRequired)) return []
    if (steps.some(({ schema = {} }) => 'default' in schema)) return []
    return [
      `"${field}" is required, so owners could create nothing; give it a default, or leave create out of the verbs`,
    ]
  })
}

function ownedIn(part: AnyPlugin['uc']): readonly AnyOwned[] {
  return Array.isArray(part) ? part.filter((one): one is AnyOwned => !('handler' in one)) : []
}

/** Requests that the host serves for owned objects. */
function patternsOf(collection: string): Readonly<Record<OwnedVerb, readonly Pattern[]>> {
  const all = segmentsOf(collection)
  const one = segmentsOf(`${collection}/:name`)
  return {
    list: [pattern('GET', all)],
    create: [pattern('POST', all)],
    get: [pattern('GET', one)],
    update: [pattern('PUT', one)],
    patch: [pattern('PATCH', one)],
    delete: [pattern('DELETE', one)],
    watch: [pattern('GET', all, true), pattern('GET', one, true)],
  }
}

function pattern(method: string, segments: Pattern['segments'], stream = false): Pattern {
  return { method, segments, stream }
}

function isIndexedText({ versions, indexes = [] }: ModelDeclaration, path: string): boolean {
  const [version] = versions
  const isIndexed = indexes.some((index) => index.name === path && !('evaluated' in index))
  const resolved = version && resolveIndexPath(version.schema, path)
  return isIndexed && resolved !== undefined && 'type' in resolved && resolved.type === 'string' && !resolved.multi
}

/** True for an enum or a constant: every create would fail, because the host sets the field to the caller's name. */
function hasFixedValues({ versions: [version] }: ModelDeclaration, path: string): boolean {
  const field = version && stepsOf(version.schema, path).at(-1)?.schema
  return field !== undefined && ('enum' in field || 'const' in field)
}

interface Step {
  /** Undefined when the schema does not have the field. */
  readonly schema: JsonSchema | undefined
  readonly isRequired: boolean
}

/** The schemas along a path. */
function stepsOf({ properties, required, $defs = {} }: ObjectSchema, path: string): readonly Step[] {
  let holder: JsonSchema | undefined = { properties, required }
  return path.split('.').map((key) => {
    const { properties: known = {}, required: needed = [] } = (holder ?? {}) as Partial<ObjectSchema>
    const found = Object.hasOwn(known, key) ? known[key] : undefined
    const isRequired = needed.includes(key)
    holder = found && { ...((referencedSchema(found['$ref'], $defs) ?? {}) as JsonSchema), ...found }
    return { schema: holder, isRequired }
  })
}
