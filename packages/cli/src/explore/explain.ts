import type { JsonSchema } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { holderOf, isObject, resolveSchema, schemaAt, type FollowReference } from '../objects/schema-at.ts'
import { readSchema } from '../objects/read-schema.ts'
import { yamlText } from '../objects/yaml-text.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { nearestOf } from '../server/nearest.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource, ResourceIndex } from '../server/known-resource.ts'
import { readResources } from '../server/resources.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { visible } from '../terminal/visible.ts'
import { exampleValue } from './example-value.ts'
import { splitField } from './field-path.ts'
import { constraintWords, typeWords, valuesOf, valueWords } from './schema-words.ts'

export interface ExplainOptions extends ServerOptions {
  readonly output: Output
}

/** A field as people see it, or the whole resource. */
interface Explained {
  readonly resource: KnownResource
  readonly path: readonly string[]
  readonly schema: JsonSchema
  readonly follow: FollowReference
  readonly isRequired: boolean
}

/** Explains a resource or a field: type, constraints, index, description and an example. */
export async function explainField(context: CommandContext, text: string, options: ExplainOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const known = await attempting({ verb: 'get', resource: '/apis' }, () => readResources(client))
  const { resource, path } = splitField(known, text)
  const { schema, follow } = await attempting({ verb: 'get', resource: `/openapi/v3${resource.path}` }, () =>
    readSchema(client, resource),
  )
  if (!isObject(schema['properties'])) throw new CommandFault(`the server has no schema of ${fullName(resource)}`)
  const found = schemaAt(schema, path, follow)
  if (!found) throw unknownField({ resource, schema, follow }, path)
  const above = holderOf(schemaAt(schema, path.slice(0, -1), follow) ?? {}, follow)
  const isRequired = isNeeded(above, path.at(-1)) && !('default' in found)
  const explained = { resource, path, schema: found, follow, isRequired }
  if (options.output === 'json') return printJson(terminal, asJson(explained))
  const { title, lines } = headLines(explained)
  await terminal.print([`  ${terminal.paint('bold', title)}`, ...lines])
  const fields = fieldRows(explained)
  const heads = ['FIELD', 'TYPE', 'NEEDED', 'INDEX', 'DESCRIPTION']
  if (fields.length > 0)
    await terminal.print(['', ...fittedTable(terminal, { heads, rows: fields, shortensLast: true })])
  await terminal.print(exampleLines(explained))
}

function unknownField(
  { resource, schema, follow }: Pick<Explained, 'resource' | 'schema' | 'follow'>,
  path: readonly string[],
): Error {
  const depth = path.findIndex((_, at) => !schemaAt(schema, path.slice(0, at + 1), follow))
  const above = path.slice(0, depth)
  const names = Object.keys(propertiesOf(schemaAt(schema, above, follow) ?? {}, follow))
  const wrong = path[depth] ?? ''
  const near = nearestOf(wrong, names)
  const words = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.join(', ') || 'none below'}`
  return usedWrongly(`${[resource.plural, ...above].join('.')} has no field "${wrong}"; ${words}`)
}

function propertiesOf(schema: JsonSchema, follow: FollowReference): Readonly<Record<string, unknown>> {
  const { properties } = holderOf(schema, follow)
  return isObject(properties) ? properties : {}
}

function isNeeded({ required }: JsonSchema, name: string | undefined): boolean {
  return Array.isArray(required) && required.includes(name)
}

function indexOf({ indexes }: KnownResource, path: readonly string[]): ResourceIndex | undefined {
  return indexes.find(({ name }) => name.replaceAll('[]', '') === path.join('.'))
}

function headLines(explained: Explained): { readonly title: string; readonly lines: readonly string[] } {
  const { resource, path, schema, follow, isRequired } = explained
  const { description } = schema
  const said = typeof description === 'string' ? [`  ${visible(description)}`] : []
  if (path.length === 0) {
    const { kind, singular, plural, group, version } = resource
    const lines = [...said, '', `  names     ${[...new Set([plural, singular, fullName(resource)])].join(', ')}`]
    const functions = resource.indexes.map(({ name }) => name).filter((name) => isFunctionIndex(explained, name))
    const more = functions.length === 0 ? [] : [`  indexes   ${functions.join(', ')}, computed by the plugin`]
    return { title: `${kind}, ${group === '' ? version : `${group}/${version}`}`, lines: [...lines, ...more] }
  }
  const reference = schema['x-reference']
  const facts: readonly (readonly [string, string])[] = [
    ['needed', isRequired ? 'yes' : 'no'],
    ['default', 'default' in schema ? JSON.stringify(schema['default']) : ''],
    ['one of', valuesOf(schema).map(valueWords).join(', ')],
    ['must be', constraintWords(schema).join('; ')],
    ['names', isObject(reference) ? `an object of ${fullName(reference as { plural: string; group: string })}` : ''],
    ['indexed', indexWords(explained)],
  ]
  const lines = facts
    .filter(([, words]) => words !== '')
    .map(([fact, words]) => `  ${fact.padEnd(10)}${visible(words)}`)
  return {
    title: `${[resource.plural, ...path].join('.')}  ${typeWords(schema, follow)}`,
    lines: [...said, '', ...lines],
  }
}

/** True for an index that is not of a field; a plugin computes its values. */
function isFunctionIndex({ schema, follow }: Explained, name: string): boolean {
  return !name.startsWith('metadata.') && !schemaAt(schema, name.replaceAll('[]', '').split('.'), follow)
}

function indexWords({ resource, path, schema, follow }: Explained): string {
  const index = indexOf(resource, path)
  if (!index) return isObject(holderOf(schema, follow)['properties']) ? '' : 'no, so lists cannot select or sort by it'
  const name = index.name.replace(/^spec\./, '')
  const value = valueWords(exampleValue(schema, follow) ?? '…')
  const sort = index.multi ? '' : `, --sort ${name}`
  return `${index.unique ? 'yes, unique' : 'yes'}: --where '${name}=${value}'${sort}`
}

/** A row for each field below, with the fields of objects in it. */
function fieldRows(explained: Explained): readonly (readonly string[])[] {
  const { resource, follow } = explained
  const rowsBelow = (schema: JsonSchema, path: readonly string[], depth: number): readonly (readonly string[])[] =>
    Object.entries(propertiesOf(schema, follow)).flatMap(([name, part]) => {
      const found = resolveSchema(part, follow)
      const here = [...path, name]
      const index = indexOf(resource, here)
      const needed = isNeeded(holderOf(schema, follow), name) && !('default' in found) && found['readOnly'] !== true
      const row = [
        `${'  '.repeat(depth)}${visible(name)}`,
        typeWords(found, follow),
        needed ? 'yes' : '',
        index ? (index.unique ? 'unique' : 'yes') : '',
        typeof found['description'] === 'string'
          ? visible(found['description'])
          : valuesOf(found).map(valueWords).join(', '),
      ]
      return depth < 4 ? [row, ...rowsBelow(found, here, depth + 1)] : [row]
    })
  return rowsBelow(explained.schema, explained.path, 0)
}

function exampleLines({ resource, path, schema, follow }: Explained): readonly string[] {
  const value = path.length === 0 ? exampleObject(resource, schema, follow) : exampleValue(schema, follow)
  if (value === undefined) return []
  const shown = path.length === 0 ? value : { [path.at(-1) ?? '']: value }
  const text = yamlText(shown).trimEnd()
  return ['', '  example', ...text.split('\n').map((line) => `    ${line}`)]
}

function exampleObject(
  { group, version, kind, singular }: KnownResource,
  schema: JsonSchema,
  follow: FollowReference,
): object {
  const { apiVersion: _, kind: __, metadata: ___, status: ____, ...others } = propertiesOf(schema, follow)
  const { required } = schema
  const rest = exampleValue({ type: 'object', properties: others, required: neededOf(required, others) }, follow)
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name: `my-${singular}` },
    ...(rest as object),
  }
}

function neededOf(required: unknown, properties: object): readonly string[] {
  return Array.isArray(required) ? (required as readonly string[]).filter((name) => name in properties) : []
}

function asJson({ resource, path, schema, follow, isRequired }: Explained): object {
  const index = indexOf(resource, path)
  return {
    resource: fullName(resource),
    field: path.join('.'),
    type: typeWords(schema, follow),
    required: isRequired,
    constraints: constraintWords(schema),
    values: valuesOf(schema),
    index: index ?? null,
    example: exampleValue(schema, follow) ?? null,
    schema,
  }
}
