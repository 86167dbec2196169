import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pluginFiles } from '../../packages/create-pergola-plugin/src/plugin-files.ts'
import { documents } from './documents.ts'
import { undocumentedExports } from './exports.ts'
import { headingSlug } from './heading-slug.ts'
import { generatedParts, type GeneratedPart } from './generated.ts'
import { createMissingFiles } from './named-files.ts'
import { performanceFiles } from './performance/files.ts'

/** Writes the generated parts of the documentation; with `--check` compares them, and checks commands and links. */
const check = process.argv.includes('--check')
const missingFiles = createMissingFiles()
const faults = [
  // First, because the list of pages depends on whether this page exists.
  ...performanceFiles().flatMap(update),
  ...(await generatedParts()).flatMap(update),
  ...(check ? [...undocumentedExports(), ...documents().flatMap(documentFaults)] : []),
]
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1

function update({ file, name, text }: GeneratedPart): string[] {
  if (text === undefined) return remove(file)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = name === undefined ? text : withPart(before, name, text)
  const what = name === undefined ? 'it' : `the part "${name}"`
  if (after === undefined) return [`${file}: the markers of ${what} are missing`]
  if (after === before) return []
  if (check) return [`${file}: ${what} is not what the code says; npm run docs:generate writes it`]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
  return []
}

function remove(file: string): string[] {
  if (!existsSync(file)) return []
  if (check) return [`${file}: nothing recorded is shown in it; npm run docs:generate removes it`]
  rmSync(file)
  return []
}

function withPart(document: string, name: string, text: string): string | undefined {
  const start = `<!-- generated: ${name} -->\n`
  const from = document.indexOf(start)
  const to = document.indexOf('\n<!-- end -->', from)
  if (from < 0 || to < 0) return undefined
  return `${document.slice(0, from + start.length)}${text}${document.slice(to)}`
}

/** Checks that the npm scripts, files, links and headings named by a document exist. */
function documentFaults(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  // Inside a plugin's document, npm scripts are those of a new plugin.
  const newPlugin = pluginFiles({ name: 'todo', group: 'todo.example.com', version: '0.9.0' }).get('package.json')
  const scripts = { ...scriptsIn(readFileSync('package.json', 'utf8')), ...scriptsIn(newPlugin ?? '{}') }
  const commands = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name)
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
  return [
    ...commands.filter((name) => !(name in scripts)).map((name) => `${file}: there is no command "npm run ${name}"`),
    ...links.flatMap((link) => linkFault(file, link)),
    ...missingFiles(file, text),
  ]
}

function scriptsIn(packageJson: string): Readonly<Record<string, string>> {
  return (JSON.parse(packageJson) as { readonly scripts?: Record<string, string> }).scripts ?? {}
}

function linkFault(file: string, link: string): string[] {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(target)) return [`${file}: the link ${link} leads nowhere`]
  if (heading === undefined || !target.endsWith('.md') || headingsOf(target).has(heading)) return []
  return [`${file}: the link ${link} leads to a heading that is not there`]
}

function headingsOf(file: string): ReadonlySet<string> {
  const prose = readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  return new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => headingSlug(heading)))
}
