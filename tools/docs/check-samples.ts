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

rmSync(folder, { recursive: true, force: true })
let count = 0
for (const document of documents()) {
  for (const { name, text } of samplesOf(readFileSync(document, 'utf8'))) {
    const file = join(folder, document, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    count++
  }
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
const { passed, output } = await runCommand(`node node_modules/typescript7/bin/tsc --pretty false -p ${folder}`)
// `docs/how-to/roles.md/plugin.ts(7,3)` is line 7 of the document.
if (!passed)
  console.error(output.replaceAll(/^\S*?([^\s(]*\.md)\/[^\s(]+\((\d+),/gm, '$1($2,').replaceAll(/^.*samples\//gm, ''))
else console.log(`${count} samples compile`)
process.exitCode = passed ? 0 : 1
