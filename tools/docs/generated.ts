import { problems } from '../../packages/api/src/problem.ts'
import { configSchema, variableOf } from '../../packages/server/src/base/config.ts'
import { readSentences, testFiles } from '../conformance/sentences.ts'
import { packages, serverFolders, type Layer } from '../layers/layers.ts'

/** Parts of the documentation that are written from the code. */
export interface GeneratedPart {
  readonly file: string
  /** Stands between `<!-- generated: name -->` and `<!-- end -->` in that file. */
  readonly name: string
  readonly text: string
}

export function generatedParts(): readonly GeneratedPart[] {
  return [
    { file: 'docs/reference/problems.md', name: 'reasons', text: reasons() },
    { file: 'docs/reference/configuration.md', name: 'settings', text: settings() },
    { file: 'docs/reference/conformance.md', name: 'promises', text: promises() },
    { file: 'ARCHITECTURE.md', name: 'packages', text: layers(packages, 'Package') },
    { file: 'ARCHITECTURE.md', name: 'server folders', text: layers(serverFolders, 'Folder') },
  ]
}

function reasons(): string {
  const rows = Object.entries(problems).map(([reason, { status, title }]) => [String(status), `\`${reason}\``, title])
  return table(['Status', 'Reason', 'Title'], rows)
}

function promises(): string {
  const files = testFiles()
  const rows = readSentences()
    .filter(({ waitsFor }) => waitsFor === undefined)
    .map(({ number, text, section }) => {
      const links = files
        .get(number)
        ?.map((file) => `[${file.replace('.test.ts', '')}](../../tests/conformance/${file})`)
      return [number, text, section, links?.join(', ') ?? '']
    })
  return table(['Number', 'Promise', 'Section', 'Tests'], rows)
}

interface Setting {
  readonly description: string
  readonly default?: string | number | boolean
  readonly enum?: readonly string[]
  readonly type?: string
}

function settings(): string {
  const rows = Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.entries(properties as Record<string, Setting>).map(([key, setting]) => {
      const path = `${section}.${key}`
      const fallback = setting.default === undefined ? '' : `\`${String(setting.default)}\``
      const kind = setting.enum ? setting.enum.map((value) => `\`${value}\``).join(', ') : (setting.type ?? '')
      return [`\`${path}\``, `\`${variableOf(path)}\``, kind, fallback, setting.description]
    }),
  )
  return table(['Setting', 'Variable', 'Value', 'Default', 'Meaning'], rows)
}

function layers(layerList: readonly Layer[], heading: string): string {
  const rows = layerList.map(({ name, does, mayImport }) => [
    `\`${name}\``,
    does,
    mayImport.map((other) => `\`${other}\``).join(', ') || 'nothing',
  ])
  return table([heading, 'Does', 'May import'], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
