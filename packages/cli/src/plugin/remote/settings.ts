import { coreResources, isApiError, secretSettings, settingsObjectName, type JsonSchema } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, readSecretFile } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { nearestOf } from '../../server/nearest.ts'
import { askSecret } from '../../terminal/ask.ts'
import { usedWrongly } from '../../terminal/command-fault.ts'
import type { Output } from '../../terminal/output-option.ts'
import { printJson } from '../../terminal/print-json.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { shortened } from '../../terminal/visible.ts'
import { settingValue } from './setting-value.ts'

const widestValue = 60

export interface SettingsOptions extends ServerOptions {
  readonly output: Output
  readonly setSecret: readonly string[]
  readonly secretFile: readonly string[]
  readonly unset: readonly string[]
  readonly plan?: boolean
}

/** Shows or changes the settings of a plugin, in its config map and, for secret ones, in its secret. */
export async function settings(
  context: CommandContext,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  options: SettingsOptions,
): Promise<void> {
  const { client } = await connect(context, options)
  const { spec } = await attempting({ verb: 'get', resource: 'plugins', name }, () =>
    client.resource(coreResources.plugins).get(name),
  )
  const schema: JsonSchema = spec.settings ?? {}
  const changes = await changesOf(context, { schema, words }, options)
  const plain = Object.fromEntries(changes.filter(({ isSecret }) => !isSecret).map(({ key, value }) => [key, value]))
  const secret = Object.fromEntries(changes.filter(({ isSecret }) => isSecret).map(({ key, value }) => [key, value]))
  const dryRun = options.plan ?? false
  for (const [resource, data] of [
    ['configmaps', plain],
    ['secrets', secret],
  ] as const) {
    if (Object.keys(data).length > 0) await write(client, { resource, name: settingsObjectName(name), data, dryRun })
  }
  if (dryRun && changes.length > 0) {
    await context.terminal.print([
      ...changes.map(({ key }) => `  ${key} would be changed`),
      '  a plan, nothing has been changed',
    ])
    return
  }
  await show(context, { client, name, schema }, options)
}

interface Change {
  readonly key: string
  /** New value; `null` removes the setting. */
  readonly value: unknown
  readonly isSecret: boolean
}

async function changesOf(
  context: CommandContext,
  { schema, words }: { readonly schema: JsonSchema; readonly words: readonly string[] },
  { setSecret, secretFile, unset }: SettingsOptions,
): Promise<readonly Change[]> {
  const secret = new Set(secretSettings(schema))
  const change = (key: string, value: unknown): Change => {
    assertKnown(schema, key)
    return { key, value, isSecret: secret.has(key) }
  }
  const said = words.map((word) => {
    const [key, text] = splitWord(word, 'key=value')
    if (secret.has(key)) {
      throw usedWrongly(`${key} is secret, and other users can see a command line; use --set-secret ${key}`)
    }
    return change(key, settingValue(fieldOf(schema, key), { key, text }))
  })
  const asked: Change[] = []
  for (const key of setSecret) {
    assertKnown(schema, key)
    const question = { prompt: `  ${key}  `, option: `--secret-file ${key}=<file>` }
    asked.push(change(key, await askSecret(context.terminal, question)))
  }
  for (const word of secretFile) {
    const [key, file] = splitWord(word, 'key=file')
    asked.push(change(key, await readSecretFile(context, file)))
  }
  const misplaced = asked.find(({ isSecret }) => !isSecret)
  if (misplaced) throw usedWrongly(`${misplaced.key} is no secret; write ${misplaced.key}=<value>`)
  return [...said, ...asked, ...unset.map((key) => change(key, null))]
}

function splitWord(word: string, form: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usedWrongly(`"${word}" is not ${form}`)
  return [word.slice(0, at), word.slice(at + 1)]
}

function fieldsOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (properties ?? {}) as Readonly<Record<string, JsonSchema>>
}

function fieldOf(schema: JsonSchema, key: string): JsonSchema {
  assertKnown(schema, key)
  return fieldsOf(schema)[key] ?? {}
}

function assertKnown(schema: JsonSchema, key: string): void {
  const names = Object.keys(fieldsOf(schema))
  if (names.includes(key)) return
  const near = nearestOf(key, names)
  const known = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.join(', ') || 'none'}`
  throw usedWrongly(`there is no setting "${key}"; ${known}`)
}

interface Written {
  readonly resource: 'configmaps' | 'secrets'
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
  readonly dryRun: boolean
}

async function write(client: Client, { resource, name, data, dryRun }: Written): Promise<void> {
  const type = resource === 'configmaps' ? coreResources.configMaps : coreResources.secrets
  await attempting({ verb: 'patch', resource, name }, async () => {
    try {
      await client.resource(type).patch(name, { data }, { dryRun })
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'NotFound') throw error
      const set = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
      await client.resource<ApiObject, object>(type).create({ metadata: { name }, data: set }, { dryRun })
    }
  })
}

interface Shown {
  readonly client: Client
  readonly name: string
  readonly schema: JsonSchema
}

async function show(
  { terminal }: CommandContext,
  { client, name, schema }: Shown,
  { output }: SettingsOptions,
): Promise<void> {
  const object = settingsObjectName(name)
  const [plain, secret] = await Promise.all([dataOf(client, 'configmaps', object), dataOf(client, 'secrets', object)])
  const isSecret = new Set(secretSettings(schema))
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : []
  const rows = Object.entries(fieldsOf(schema)).map(([key, field]) => {
    const value = isSecret.has(key) ? secretState(secret, key) : plain?.[key]
    return {
      key,
      value,
      isSecret: isSecret.has(key),
      isRequired: required.includes(key) && field['default'] === undefined,
      default: field['default'],
    }
  })
  if (output === 'json') return printJson(terminal, { items: rows })
  if (rows.length === 0) return terminal.print([`  ${name} has no settings`])
  const lines = rows.map((row) => [row.key, shortened(valueWords(row.value, row.default), widestValue), notesOf(row)])
  const missing = rows.filter((row) => row.isRequired && row.value === undefined)
  const [first] = missing.length > 0 ? missing : rows
  const example = first?.isSecret ? `--set-secret ${first.key}` : `${first?.key}=<value>`
  const words = missing.length > 0 ? `${missing.map(({ key }) => key).join(', ')} must be set: ` : ''
  await terminal.print([
    ...fittedTable(terminal, { heads: ['SETTING', 'VALUE', ''], rows: lines }),
    `  next      ${words}pergola plugin settings ${name} ${example}`,
  ])
}

/** Says whether a secret is set, without its value. */
function secretState(data: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  if (!data) return undefined
  return data[key] === undefined ? undefined : '(set)'
}

function valueWords(value: unknown, fallback: unknown): string {
  if (value === undefined) return fallback === undefined ? '' : `${textOf(fallback)} (default)`
  return textOf(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function notesOf({ isSecret, isRequired }: { readonly isSecret: boolean; readonly isRequired: boolean }): string {
  return [...(isSecret ? ['secret'] : []), ...(isRequired ? ['required'] : [])].join(', ')
}

/** Undefined when the object does not exist or the caller may not read it. */
async function dataOf(
  client: Client,
  resource: Written['resource'],
  name: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { data } = await client
      .resource(resource === 'configmaps' ? coreResources.configMaps : coreResources.secrets)
      .get(name)
    return data
  } catch (error) {
    if (isApiError(error) && ['NotFound', 'Forbidden'].includes(error.reason)) return undefined
    throw error
  }
}
