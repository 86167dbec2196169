import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { runCommand } from '../run-command.ts'
import { changelogSection, withSection } from './changelog.ts'

/** Sets the next version of all packages by the changesets, and moves the changesets into CHANGELOG.md. */
const changesets = globSync('.changeset/*.md').map((file) => readFileSync(file, 'utf8'))
if (changesets.length === 0) throw new Error('there is no changeset; create one with npm run changeset')

await run('npx changeset version')
const { version } = JSON.parse(readFileSync('packages/server/package.json', 'utf8')) as { readonly version: string }
replaceIn('package.json', /"version": "[^"]+"/, `"version": "${version}"`)
replaceIn(
  'deploy/helm/pergola/Chart.yaml',
  /^version: .*\nappVersion: .*$/m,
  `version: ${version}\nappVersion: ${version}`,
)
writeFileSync('CHANGELOG.md', withSection(readFileSync('CHANGELOG.md', 'utf8'), changelogSection(version, changesets)))
await run('npm install --package-lock-only --ignore-scripts --no-audit --no-fund')
console.log(`set version ${version} everywhere; review CHANGELOG.md before you commit`)

function replaceIn(file: string, what: RegExp, by: string): void {
  const text = readFileSync(file, 'utf8')
  if (!what.test(text)) throw new Error(`${file} has no ${String(what)}`)
  writeFileSync(file, text.replace(what, by))
}

async function run(command: string): Promise<void> {
  const { passed, output } = await runCommand(command)
  if (!passed) throw new Error(`${command}:\n${output}`)
}
