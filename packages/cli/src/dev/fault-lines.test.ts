import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { faultLines } from './fault-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'src'))
writeFileSync(
  join(folder, 'src/plugin.ts'),
  'const spec = {\n  title: 1,\n  state: 2,\n}\nstate: 3\nstate: { maxLenght: 4 }\n',
)

const rows: readonly (readonly [what: string, message: string, lines: readonly string[]])[] = [
  [
    'a failed start shows the position in the plugin without frames of other code',
    [
      'it ended with code 1 before it was healthy:',
      `  file://${folder}/src/plugin.ts:36`,
      '  export default definePlugin({',
      '                             ^',
      '  ',
      '  Error: not like this',
      `      at <anonymous> (file://${folder}/src/plugin.ts:36:41)`,
      `      at run (file://${folder}/node_modules/x/index.js:3:1)`,
      '      at ModuleJob.run (node:internal/modules/esm/module_job:561:25)',
      '      at async node:internal/modules/esm/loader:647:26',
      '  Node.js v24.21.0',
    ].join('\n'),
    ['src/plugin.ts:36 Error: not like this', 'it ended with code 1 before it was healthy:'],
  ],
  [
    'an error keeps only the stack frames of the plugin',
    [
      'TypeError: boom',
      `    at fails (file://${folder}/src/rules.ts:4:9)`,
      `    at handle (file://${folder}/src/plugin.ts:20:3)`,
      '    at async serve (/elsewhere/sdk/run.js:1:1)',
    ].join('\n'),
    ['src/rules.ts:4 TypeError: boom', '    at handle (src/plugin.ts:20:3)'],
  ],
  [
    'an invalid schema is shown with the line of its field',
    'the model is not valid: spec.versions[0].schema.properties.spec.properties.title.pattern is none',
    ['src/plugin.ts:2 the model is not valid: spec.title.pattern is none'],
  ],
  [
    'a field that occurs twice in the source is shown without a line',
    'the model is not valid: spec.versions[0].schema.properties.spec.properties.state.pattern is none',
    ['the model is not valid: spec.state.pattern is none'],
  ],
  [
    'a keyword tells fields of the same name apart, and a package is not mentioned',
    'the package cannot be used: its model b: spec.versions[0].schema.properties.spec.properties.state.maxLenght is not known; correct the model and pack the plugin again',
    ['src/plugin.ts:6 its model b: spec.state.maxLenght is not known'],
  ],
  [
    'other messages are unchanged',
    'todos hold values twice\n"a": one, two',
    ['todos hold values twice', '"a": one, two'],
  ],
]
test.each(rows)('%s', (_, message, lines) => {
  expect(faultLines(message, folder)).toEqual(lines)
})
