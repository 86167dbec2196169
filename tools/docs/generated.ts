import { commandReference, exitCodeReference } from '../../packages/cli/src/reference.ts'
import { problems } from '../../packages/api/src/problem.ts'
import { builtInRoles } from '../../packages/server/src/access/built-in-roles.ts'
import { paperTable, unitTable } from '../../bench/scale/paper.ts'
import { readUnits } from '../../bench/scale/units.ts'
import { configSchema } from '../../packages/server/src/config/config-schema.ts'
import { variableOf } from '../../packages/server/src/config/setting-sources.ts'
import { catalogue, type Metric } from '../../packages/server/src/base/metrics.ts'
import { streamCloseTable, watchCloseTable } from './close-codes.ts'
import { exportReference } from './exports.ts'
import { httpReference } from './http-reference.ts'
import { limitTables, settableLimits } from './limits.ts'
import { llmsText } from './llms.ts'
import { asCode, plainText, table } from './markdown.ts'
import { displayChoices, formats, modelFields, schemaKeywords } from './model-reference.ts'
import { selectorEscapes, selectorForms, selectorMistakes } from './selector-reference.ts'
import { performanceLink } from './performance/link.ts'
import { readSentences, testFiles } from '../conformance/sentences.ts'
import { packages, serverFolders, type Layer } from '../layers/layers.ts'

/** The generated parts of the documentation. */
export interface GeneratedPart {
  readonly file: string
  /** Name in the marker `<!-- generated: name -->` of that file; without one, the text is the whole file. */
  readonly name?: string
  /** Without one, the file must not exist. */
  readonly text: string | undefined
}

export async function generatedParts(): Promise<readonly GeneratedPart[]> {
  return [
    { file: 'docs/reference/http.md', name: 'http', text: await httpReference() },
    { file: 'docs/reference/models.md', name: 'fields', text: modelFields() },
    { file: 'docs/reference/models.md', name: 'keywords', text: schemaKeywords() },
    { file: 'docs/reference/models.md', name: 'formats', text: formats() },
    { file: 'docs/reference/models.md', name: 'display', text: displayChoices() },
    { file: 'docs/reference/selectors.md', name: 'forms', text: selectorForms() },
    { file: 'docs/reference/selectors.md', name: 'escapes', text: selectorEscapes() },
    { file: 'docs/reference/selectors.md', name: 'mistakes', text: selectorMistakes() },
    { file: 'docs/reference/streams.md', name: 'watches', text: watchCloseTable() },
    { file: 'docs/reference/streams.md', name: 'streams of plugins', text: streamCloseTable() },
    { file: 'docs/reference/limits.md', name: 'settings', text: settableLimits() },
    { file: 'docs/reference/limits.md', name: 'limits', text: limitTables() },
    { file: 'docs/reference/problems.md', name: 'reasons', text: reasons() },
    { file: 'docs/reference/configuration.md', name: 'settings', text: settings() },
    { file: 'docs/reference/roles.md', name: 'built-in roles', text: roles() },
    { file: 'docs/reference/sdk.md', name: 'exports', text: exportReference() },
    { file: 'docs/reference/cli.md', name: 'commands', text: commands() },
    { file: 'docs/reference/cli.md', name: 'exit codes', text: exitCodes() },
    { file: 'docs/reference/conformance.md', name: 'promises', text: promises() },
    { file: 'docs/operations/monitor.md', name: 'metrics', text: metrics() },
    { file: 'docs/operations/scale.md', name: 'unit costs', text: unitTable(readUnits()) },
    { file: 'docs/operations/scale.md', name: 'a large installation', text: paperTable(readUnits()) },
    { file: 'docs/operations/proofs.md', name: 'performance', text: performanceLink('performance.md') },
    { file: 'README.md', name: 'performance', text: performanceLink('docs/operations/performance.md') },
    { file: 'ARCHITECTURE.md', name: 'packages', text: layers(packages, 'Package') },
    { file: 'ARCHITECTURE.md', name: 'server folders', text: layers(serverFolders, 'Folder') },
    { file: 'docs/public/llms.txt', text: llmsText() },
  ]
}

function metrics(): string {
  const rows = Object.entries<Metric>(catalogue).map(([name, { kind, description, labels = [] }]) => [
    `\`${name}${kind === 'counter' ? '_total' : ''}\``,
    kind,
    asCode(labels),
    description,
  ])
  return table(['Metric', 'Kind', 'Labels', 'Meaning'], rows)
}

function reasons(): string {
  const rows = Object.entries(problems).map(([reason, { status, title }]) => [String(status), `\`${reason}\``, title])
  return table(['Status', 'Reason', 'Title'], rows)
}

/** The built-in rules of each role; plugins add rules to some of them. */
function roles(): string {
  return builtInRoles
    .map(({ name, annotations = {}, labels = {}, rules }) => {
      const dependencies = annotations['rbac.authorization.platform.run/dependencies']
      const rows = rules.map((rule) =>
        'nonResourceURLs' in rule
          ? [asCode(rule.verbs), asCode(rule.nonResourceURLs), '', '']
          : [asCode(rule.verbs), asCode(rule.resources), asCode(rule.apiGroups), asCode(rule.resourceNames ?? [])],
      )
      return [
        `### \`${name}\``,
        '',
        `${annotations['rbac.authorization.platform.run/display-name']}${labels['platform.run/hidden'] ? '; not shown in lists of roles' : ''}.`,
        ...(dependencies === undefined ? [] : ['', `Depends on ${asCode(JSON.parse(dependencies) as string[])}.`]),
        '',
        rows.length > 0 ? table(['Verbs', 'On', 'In the group', 'Named'], rows) : 'No rules of its own.',
      ].join('\n')
    })
    .join('\n\n')
}

function exitCodes(): string {
  return table(
    ['Code', 'Meaning'],
    exitCodeReference.map(([code, meaning]) => [`\`${code}\``, meaning]),
  )
}

/** A heading for each command, and a table of its arguments and options. */
function commands(): string {
  return commandReference()
    .map(({ usage, description, examples, parameters }) => {
      const rows = parameters.map(({ name, meaning, fallback }) => [
        `\`${name.replaceAll('|', '\\|')}\``,
        plainText(meaning),
        fallback === '' ? '' : `\`${fallback}\``,
      ])
      return [
        `### \`${usage}\``,
        '',
        plainText(description),
        '',
        ...(examples.length === 0 ? [] : ['```sh', ...examples, '```', '']),
        table(['Takes', 'Meaning', 'Default'], rows),
        '',
      ].join('\n')
    })
    .join('\n')
    .trimEnd()
}

function promises(): string {
  const files = testFiles()
  const rows = readSentences()
    .filter(({ waitsFor }) => waitsFor === undefined)
    .map(({ number, text, section }) => {
      const links = files
        .get(number)
        ?.map((file) => `[${file.slice(file.indexOf('/') + 1).replace('.test.ts', '')}](../../tests/${file})`)
      return [number, text, section, links?.join(', ') ?? '']
    })
  return table(['Number', 'Promise', 'Section', 'Tests'], rows)
}

interface Setting {
  readonly description: string
  readonly default?: string | number | boolean | object
  readonly enum?: readonly string[]
  readonly type?: string
  /** Settings of the entries of a list. */
  readonly items?: { readonly properties?: Readonly<Record<string, Setting>> }
}

function settings(): string {
  const rows = Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.entries(properties as Record<string, Setting>).flatMap(([key, setting]) =>
      settingRows(`${section}.${key}`, setting),
    ),
  )
  return table(['Setting, and its variable', 'Value', 'Default', 'Meaning'], rows)
}

/** A list of objects or a map has no variable; the settings of list entries follow it. */
function settingRows(path: string, setting: Setting): readonly (readonly string[])[] {
  const { default: fallback, type = '', enum: choices, description, items } = setting
  const text = typeof fallback === 'object' && !Array.isArray(fallback) ? '' : String(fallback ?? '')
  const variable = items?.properties || type === 'object' || path.includes('[]') ? '' : `<br>\`${variableOf(path)}\``
  const kind = choices ? choices.map((value) => `\`${value}\``).join(', ') : type === 'array' ? 'list' : type
  const below = Object.entries(items?.properties ?? {})
  return [
    [`\`${path}\`${variable}`, kind, text === '' ? '' : `\`${text}\``, description],
    ...below.flatMap(([key, entry]) => settingRows(`${path}[].${key}`, entry)),
  ]
}

function layers(layerList: readonly Layer[], heading: string): string {
  const rows = layerList.map(({ name, does, mayImport }) => [
    `\`${name}\``,
    does,
    mayImport.map((other) => (other === '*' ? 'every folder' : `\`${other}\``)).join(', ') || 'nothing',
  ])
  return table([heading, 'Does', 'May import'], rows)
}
