import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pluginFiles } from '../packages/create-pergola-plugin/src/plugin-files.ts'
import { runCommand } from './run-command.ts'

/** Checks the types of the pages of the examples and of a new plugin, templates included, which only `vue-tsc` reads. */
const folder = resolve('node_modules/.cache/pages')
const settings = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    declarationMap: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    types: ['node'],
  },
  vueCompilerOptions: { strictTemplates: true },
  include: ['new/src', '../../../examples/*/src'],
  exclude: ['**/*.test.ts'],
}

rmSync(folder, { recursive: true, force: true })
for (const [path, text] of pluginFiles({ name: 'meeting-room', group: 'rooms.example.com', version: '0.9.0' })) {
  const file = join(folder, 'new', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
const { passed, output } = await runCommand(`node node_modules/vue-tsc/bin/vue-tsc.js --pretty false -p ${folder}`)
console.log(passed ? 'the pages of the examples and of a new plugin have no type errors' : output)
process.exitCode = passed ? 0 : 1
