import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runCommand } from '../run-command.ts'
import { documents } from './documents.ts'
import { samplesOf } from './samples.ts'

/** Compiles the samples of all documents together, against the sources of the packages, with the options of a plugin. */
const folder = resolve('node_modules/.cache/samples')
const settings = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    module: 'nodenext',
    customConditions: ['@pergola/source'],
    types: ['node'],
    jsx: 'preserve',
    noEmit: true,
    allowImportingTsExtensions: true,
    experimentalDecorators: true,
    verbatimModuleSyntax: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  },
}

/** Documents with components, which only `vue-tsc` can check. */
const withComponents = new Set<string>()

rmSync(folder, { recursive: true, force: true })
let count = 0
for (const document of documents()) {
  for (const { name, text } of samplesOf(readFileSync(document, 'utf8'))) {
    const file = join(folder, document, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (name.endsWith('.vue')) withComponents.add(document)
    count++
  }
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
const components = {
  extends: './tsconfig.json',
  vueCompilerOptions: { strictTemplates: true },
  include: [...withComponents].map((document) => `${document}/**/*`),
}
writeFileSync(join(folder, 'tsconfig.components.json'), JSON.stringify(components))
const runs = [
  await runCommand(`node node_modules/typescript7/bin/tsc --pretty false -p ${folder}`),
  await runCommand(`node node_modules/vue-tsc/bin/vue-tsc.js --pretty false -p ${folder}/tsconfig.components.json`),
]
const failed = runs.filter(({ passed }) => !passed)
// `docs/how-to/roles.md/plugin.ts(7,3)` is line 7 of the document.
for (const { output } of failed)
  console.error(output.replaceAll(/^\S*?([^\s(]*\.md)\/[^\s(]+\((\d+),/gm, '$1($2,').replaceAll(/^.*samples\//gm, ''))
if (failed.length === 0) console.log(`${count} samples compile`)
process.exitCode = failed.length === 0 ? 0 : 1
