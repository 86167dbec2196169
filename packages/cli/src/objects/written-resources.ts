import { CommandFault } from '../terminal/command-fault.ts'
import { nearestOf } from '../server/nearest.ts'
import type { KnownResource } from '../server/known-resource.ts'
import type { ObjectDocument, WrittenObject } from './read-documents.ts'

/** A document and the resource of its type. */
export interface ResolvedDocument {
  readonly document: ObjectDocument
  /** Undefined when another document defines the model. */
  readonly resource: KnownResource | undefined
}

/** Finds the resource of each document. Throws for types that neither the server nor a document defines. */
export function resolveDocuments(
  documents: readonly ObjectDocument[],
  known: readonly KnownResource[],
): readonly ResolvedDocument[] {
  const made = new Set(documents.flatMap(({ object }) => typesMadeBy(object)))
  const faults: string[] = []
  const placed = documents.map((document) => {
    const { apiVersion, kind } = document.object
    const resource = resourceOf(document.object, known)
    if (!resource && !made.has(typeOf(apiVersion, kind))) {
      faults.push(
        `${document.placeOf(['kind'])} there is no ${kind} in ${apiVersion}${nearWords(document.object, known)}`,
      )
    }
    return { document, resource }
  })
  if (faults.length > 0) throw new CommandFault(faults.join('\n'), { lines: ['  nothing was sent'] })
  return placed
}

export function resourceOf(
  { apiVersion, kind }: WrittenObject,
  known: readonly KnownResource[],
): KnownResource | undefined {
  return known.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion)
}

/** Orders documents into waves: models before their objects, users and roles before role bindings. */
export function wavesOf(placed: readonly ResolvedDocument[]): readonly (readonly ResolvedDocument[])[] {
  const waves = Map.groupBy(placed, ({ document }) => waveOf(document.object))
  return [0, 1, 2].flatMap((wave) => {
    const here = waves.get(wave)
    return here ? [here] : []
  })
}

function waveOf({ apiVersion, kind }: WrittenObject): number {
  if (apiVersion.startsWith('plugin.platform.run/') && kind === 'Model') return 0
  return apiVersion === 'v1alpha1' && kind !== 'RoleBinding' ? 1 : 2
}

interface ModelSpec {
  readonly group?: unknown
  readonly kind?: unknown
  readonly versions?: readonly { readonly name?: unknown }[]
}

function typesMadeBy(object: WrittenObject): readonly string[] {
  if (waveOf(object) !== 0) return []
  const { group, kind, versions } = (object['spec'] ?? {}) as ModelSpec
  return (Array.isArray(versions) ? (versions as readonly { readonly name?: unknown }[]) : []).map(({ name }) =>
    typeOf(`${String(group)}/${String(name)}`, String(kind)),
  )
}

function typeOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`
}

function apiVersionOf({ group, version }: KnownResource): string {
  return group === '' ? version : `${group}/${version}`
}

function nearWords({ apiVersion, kind }: WrittenObject, known: readonly KnownResource[]): string {
  const elsewhere = known.filter((one) => one.kind === kind).map(apiVersionOf)
  if (elsewhere.length > 0) return `; it is in ${elsewhere.join(', ')}`
  const kinds = known.filter((one) => apiVersionOf(one) === apiVersion).map((one) => one.kind)
  const near = nearestOf(kind, kinds)
  if (near.length > 0) return `; did you mean ${near.join(' or ')}?`
  return kinds.length > 0 ? `; there are ${kinds.join(', ')}` : '; is its plugin installed and started?'
}
