import { schemaReferences, type ObjectSchema } from '@pergola/api'
import type { Content, DescribedModel, DescribedRoute, DescribedVersion } from './described-api.ts'
import { CommandFault } from '../terminal/command-fault.ts'
import { shortened, visible } from '../terminal/visible.ts'
import {
  comment,
  commentOf,
  fieldsOf,
  isSchema,
  literal,
  scalars,
  typeOfSchema,
  type Schema,
  type TypeOptions,
} from './type-of-schema.ts'

/** Schemas of the host for which the client has its own types. */
const shared = new Set(['Metadata', 'SentMetadata', 'Problem', 'DeletedCollection'])

const identifier = /^[A-Za-z_$][\w$]*$/
const dottedName = /^[\w.-]*$/

/** Words of the language and names that the module uses. */
const reserved =
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super switch
  this throw true try typeof var void while with yield any bigint boolean never number object string symbol undefined unknown
  connect ApiObject Served ServedRoute Readonly Record`.split(/\s+/)

/**
 * Generates a module with a value and types for every model and custom API. Texts of the server become comments, literals or
 * checked names, never code. Throws `CommandFault` for a name that cannot be one.
 */
export function moduleText(versions: readonly DescribedVersion[], from: string): string {
  const names = createNames()
  const blocks = versions.flatMap((version) => {
    assertName('a group', version.group, dottedName)
    assertName('a version', version.version, dottedName)
    const typeNames = new Map<string, string>()
    const nameOf: TypeOptions['nameOf'] = (component) => {
      const known = typeNames.get(component)
      if (known !== undefined) return known
      const name = shared.has(component)
        ? 'unknown'
        : names(assertName('a schema', capital(component), identifier), capital(version.group))
      typeNames.set(component, name)
      return name
    }
    return [
      ...version.models.map((model) => modelBlock(model, version, { names, nameOf })),
      ...version.routes.map((route) => routeBlock(route, version, { names, nameOf })),
      ...componentBlocks(version.schemas, typeNames, { nameOf }),
    ]
  })
  return `${[header(from), ...blocks].join('\n\n')}\n`
}

function header(from: string): string {
  return [
    `// Written by "pergola codegen" from ${visible(from)}. Do not change it: write it again when the API has changed.`,
    "import type { ApiObject, Served, ServedRoute } from '@pergola/client'",
    '',
    "export { connect } from '@pergola/client'",
  ].join('\n')
}

type Names = (wanted: string, otherwise: string) => string

interface Naming extends TypeOptions {
  readonly names: Names
}

function modelBlock(model: DescribedModel, { schemas }: DescribedVersion, naming: Naming): string {
  const { names } = naming
  const { group, version, kind, singular, plural, isOwn } = model
  assertName('a kind', kind, identifier)
  assertName('a plural', plural, dottedName)
  assertName('a singular', singular, dottedName)
  const schema = schemas[kind] ?? {}
  const { spec, status, ...others } = propertiesOf(schema)
  const value = names(isOwn ? `own${capital(plural)}` : kind, capital(group))
  const type = isOwn ? names(`Own${kind}`, capital(group)) : value
  const rest = { ...schema, properties: without({ ...others, spec, status }, ['apiVersion', 'kind', 'metadata']) }
  const fields = model.indexes
    .filter(({ name }) => !name.startsWith('metadata.'))
    .map((index) => `readonly ${literal(index.name)}: ${indexType(index, enumAt(schema, schemas, index.name))}`)
  const words = isOwn ? `The caller's own ${plural}` : capital(plural)
  const apiVersion = group === '' ? version : `${group}/${version}`
  return [
    `${comment(schema)}${comment(schema) === '' ? '' : '\n'}export interface ${type} extends ApiObject {`,
    `  readonly apiVersion: ${literal(apiVersion)}`,
    `  readonly kind: ${literal(kind)}`,
    ...fieldsOf(rest, naming).map((field) => `  ${field}`),
    '}',
    '',
    commentOf(`${words}, of ${apiVersion}.`),
    `export const ${value}: Served<{`,
    `  object: ${type}`,
    `  create: ${typeOfSchema(spec, { ...naming, isSent: true })}`,
    `  status: ${status === undefined ? 'undefined' : `${type}['status']`}`,
    `  fields: { ${fields.join('; ')} }`,
    `}> = { group: ${literal(group)}, version: ${literal(version)}, plural: ${literal(plural)}, singular: ${literal(singular)}${referencesOf(schema)} }`,
  ].join('\n')
}

/** The models of the references, for `page.related`. */
function referencesOf(schema: Schema): string {
  const found = schemaReferences({ properties: propertiesOf(schema) as ObjectSchema['properties'] })
  const entries = found.map(({ path, target: { group, plural } }) => {
    return `${literal(path)}: ${literal(group === '' ? plural : `${plural}.${group}`)}`
  })
  return entries.length === 0 ? '' : `, references: { ${entries.join(', ')} }`
}

function indexType({ type, multi }: DescribedModel['indexes'][number], allowed: readonly unknown[] = []): string {
  const one = allowed.map(literal).join(' | ') || (scalars.get(type) ?? 'string')
  return multi ? `readonly ${allowed.length > 1 ? `(${one})` : one}[]` : one
}

/** The values that an indexed field, or an item of it, is limited to. */
function enumAt(schema: Schema, schemas: DescribedVersion['schemas'], path: string): readonly unknown[] | undefined {
  const resolved = (found: unknown): Schema => {
    const { $ref } = isSchema(found) ? found : {}
    if (typeof $ref === 'string') return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}
    return isSchema(found) ? found : {}
  }
  let found = schema
  for (const key of path.split('.')) found = resolved(propertiesOf(found)[key])
  const { enum: allowed } = 'items' in found ? resolved(found['items']) : found
  return Array.isArray(allowed) ? allowed.filter((value) => value !== null) : undefined
}

function routeBlock({ method, path, operation }: DescribedRoute, version: DescribedVersion, naming: Naming): string {
  const { names } = naming
  const { operationId = `${method.toLowerCase()}Route`, summary = '', parameters = [] } = operation
  const where = `the operationId of ${method} ${path}`
  const value = names(assertName(where, operationId, identifier), capital(version.group))
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const record = (place: string) => {
    const fields = of(place).map(
      ({ name, required, schema }) =>
        `readonly ${literal(name)}${required ? '' : '?'}: ${typeOfSchema(schema, naming)}`,
    )
    return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`
  }
  return [
    commentOf(summary || `${method} ${path}`),
    `export const ${value}: ServedRoute<{`,
    `  params: ${record('path')}`,
    `  query: ${record('query')}`,
    `  body: ${operation.requestBody ? typeIn(operation.requestBody.content, { ...naming, isSent: true }) : 'undefined'}`,
    `  answer: ${typeIn(operation.responses?.['200']?.content, naming)}`,
    `}> = { method: ${literal(method)}, path: ${literal(path)} }`,
  ].join('\n')
}

function typeIn(content: Content | undefined, options: TypeOptions): string {
  return typeOfSchema(content?.['application/json']?.schema, options)
}

/** Types for the schema components that are referenced. */
function componentBlocks(
  schemas: Readonly<Record<string, Schema>>,
  used: ReadonlyMap<string, string>,
  options: TypeOptions,
): readonly string[] {
  const blocks: string[] = []
  const done = new Set<string>()
  // A component may reference others; the loop visits those added meanwhile.
  for (const [component, name] of used) {
    if (name === 'unknown' || done.has(name)) continue
    done.add(name)
    const schema = schemas[component]
    blocks.push(`${comment(schema)}export type ${name} = ${typeOfSchema(schema, options)}`)
  }
  return blocks
}

/** Assigns unique names. On a collision, the second gets its group as prefix, then a number. */
function createNames(): Names {
  const taken = new Set(reserved)
  return (wanted, otherwise) => {
    const candidates = [wanted, `${wanted}Of${otherwise}`]
    let name = candidates.find((candidate) => !taken.has(candidate))
    for (let at = 2; name === undefined; at++) {
      const next = `${wanted}Of${otherwise}${at}`
      if (!taken.has(next)) name = next
    }
    taken.add(name)
    return name
  }
}

function assertName(what: string, name: unknown, form: RegExp): string {
  if (typeof name === 'string' && form.test(name)) return name
  const shown = shortened(JSON.stringify(name) ?? 'missing', 80)
  const where = shortened(what, 200)
  throw new CommandFault(
    `the server describes ${where} as ${shown}, which cannot be a name in code; nothing was written`,
  )
}

function propertiesOf({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {}
}

function without(fields: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(fields).filter(([name, one]) => one !== undefined && !names.includes(name)))
}

/** Converts `todo.example.com` to `TodoExampleCom`. */
function capital(text: string): string {
  return (text.match(/[A-Za-z0-9]+/g) ?? []).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
