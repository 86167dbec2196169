import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `docs/`, from which every page is named. */
export const docsFolder = join(import.meta.dirname, '..')

/** Pages that show a document which stands elsewhere in the repository; links in it are meant from there. */
export const shownFrom: Readonly<Record<string, string>> = {
  'concepts/architecture.md': '../ARCHITECTURE.md',
  'reference/client.md': '../packages/client/README.md',
  'reference/plugin-sdk.md': '../packages/plugin-sdk/README.md',
  'reference/security.md': '../SECURITY.md',
}

/** Pages of wide tables, which get the room of the outline. */
export const widePages: ReadonlySet<string> = new Set([
  'operations/performance.md',
  'reference/configuration.md',
  'reference/conformance.md',
])

/** Written from recorded results; left out while there are none. */
const recordedPage = 'operations/performance.md'

/** In reading order. A page that stands in none of them has no place, and fails the build. */
const order: Readonly<Record<string, readonly string[]>> = {
  tutorial: ['index', 'upgrade', 'http'],
  'how-to': [
    'own-objects',
    'write-together',
    'search-by-word',
    'related-objects',
    'batches',
    'controller',
    'settings-and-secrets',
    'console-pages',
    'npm-packages',
    'test-a-plugin',
    'roles',
    'upgrade-without-fear',
    'watch',
    'another-origin',
    'sign-in-with-openid-connect',
    'behind-a-proxy',
    'serve-https',
  ],
  operations: [
    'deploy',
    'sizing',
    'doctor',
    'troubleshooting',
    'monitor',
    'upgrade',
    'backup',
    'scale',
    'security',
    'console',
    'performance',
    'proofs',
  ],
  concepts: ['request', 'objects', 'indexes', 'watch', 'plugins', 'access', 'replicas', 'architecture'],
  reference: [
    'http',
    'models',
    'selectors',
    'streams',
    'problems',
    'limits',
    'cli',
    'configuration',
    'plugins',
    'plugin-sdk',
    'client',
    'console-kit',
    'sdk',
    'roles',
    'plugin-protocol',
    'security',
    'stability',
    'conformance',
  ],
  contributing: ['where-to-change', 'suites'],
  'coming-from': ['halo', 'kubernetes', 'strapi', 'directus'],
}

const sections = [
  { text: 'Tutorial', folder: 'tutorial' },
  { text: 'How-to', folder: 'how-to' },
  { text: 'Operations', folder: 'operations' },
  { text: 'Concepts', folder: 'concepts' },
  { text: 'Reference', folder: 'reference' },
  { text: 'Coming from', folder: 'coming-from' },
  { text: 'Contributing', folder: 'contributing' },
  { text: 'Decisions', folder: 'decisions' },
]

/** Long lists are folded until somebody is there. */
const folded = new Set(['Decisions'])

interface SidebarEntry {
  readonly text: string
  readonly link: string
}

interface SidebarSection {
  readonly text: string
  readonly collapsed: boolean
  readonly items: SidebarEntry[]
}

/** Every page, named by its own heading. */
export function sidebar(): SidebarSection[] {
  return sections.map(({ text, folder }) => ({
    text,
    collapsed: folded.has(text),
    items: pagesOf(folder).map((page) => ({ text: titleOf(page), link: `/${page.replace(/(index)?\.md$/, '')}` })),
  }))
}

/** Decisions have numbers, and come by them. */
function pagesOf(folder: string): readonly string[] {
  const there = readdirSync(join(docsFolder, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace(/\.md$/, ''))
  const listed = order[folder] ?? there.toSorted()
  const lost = there.filter((page) => !listed.includes(page))
  if (lost.length > 0) throw new Error(`docs/${folder}/${lost[0]}.md has no place in docs/.vitepress/pages.ts`)
  const pages = listed.map((page) => `${folder}/${page}.md`)
  return pages.filter((page) => page !== recordedPage || existsSync(join(docsFolder, page)))
}

/** The first heading; a number that decisions begin with is kept short. */
function titleOf(page: string): string {
  const text = read(page)
  const [, given] = /^title: (.*)$/m.exec(text.startsWith('---\n') ? text.slice(0, text.indexOf('\n---', 4)) : '') ?? []
  const [, heading] = /^# (.*)$/m.exec(text) ?? []
  const title = given ?? heading
  if (title === undefined) throw new Error(`docs/${page} has no heading`)
  return title.replace(/^0*(\d+)\.? /, '$1  ').replaceAll('`', '')
}

function read(page: string): string {
  return readFileSync(join(docsFolder, page), 'utf8')
}
