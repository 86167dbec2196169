import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documents } from './documents.ts'
import { undocumentedExports } from './exports.ts'
import { headingSlug } from './heading-slug.ts'
import { generatedParts, type GeneratedPart } from './generated.ts'

/** Writes the generated parts of the documentation; with `--check` compares them, and checks commands and links. */
const check = process.argv.includes('--check')
const faults = [
  ...(await generatedParts()).flatMap(update),
  ...(check ? [...undocumentedExports(), ...documents().flatMap(documentFaults)] : []),
]
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1

function update(part: GeneratedPart): string[] {
  const before = readFileSync(part.file, 'utf8')
  const start = `<!-- generated: ${part.name} -->\n`
  const from = before.indexOf(start)
  const to = before.indexOf('\n<!-- end -->', from)
  if (from < 0 || to < 0) return [`${part.file}: the markers of the part "${part.name}" are missing`]
  const after = `${before.slice(0, from + start.length)}${part.text}${before.slice(to)}`
  if (after === before) return []
  if (check) return [`${part.file}: the part "${part.name}" is not what the code says; npm run docs:generate writes it`]
  writeFileSync(part.file, after)
  return []
}

/** Every npm script that a document names exists, and so does every file it links to, with the heading where one is named. */
function documentFaults(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const commands = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name)
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
  return [
    ...commands.filter((name) => !(name in scripts)).map((name) => `${file}: there is no command "npm run ${name}"`),
    ...links.flatMap((link) => linkFault(file, link)),
  ]
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
