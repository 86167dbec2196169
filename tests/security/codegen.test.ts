import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDescribedApi } from '../../packages/cli/src/codegen/described-api.ts'
import { moduleText } from '../../packages/cli/src/codegen/module-text.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'pergola-codegen-'))
beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve('node_modules/@pergola'), join(folder, 'node_modules/@pergola'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true }))

const code = 'globalThis.attacked = true'
/** Ends a comment, a text or a line, runs code, and begins a comment. */
const escapes = [`*/ ${code} /*`, `'; ${code}; '`, `\n${code}\n`, `\u2028${code}\u2029`, `\`\${${code}}\\`]
const everything = escapes.join(' ')

interface Hostile {
  readonly group?: string
  readonly version?: string
  readonly model?: Readonly<Record<string, unknown>>
  readonly schemas?: Readonly<Record<string, unknown>>
  readonly path?: string
  readonly method?: string
  readonly operation?: object
}

/** The module for a server with these texts in its documents. */
async function generate(hostile: Hostile): Promise<string> {
  const { group = 'todo.example.com', version = 'v1', path = '/share', method = 'post' } = hostile
  const model = { kind: 'Todo', singular: 'todo', plural: 'todos', indexes: [], ...hostile.model }
  const root = `/apis/${group}/${version}`
  const documents: Readonly<Record<string, unknown>> = {
    '/apis': { groups: [{ name: group, versions: [{ name: version, models: [model] }] }] },
    '/openapi/v3': { paths: { [root.slice(1)]: {}, [root.slice(1).replace('apis/', 'apis/uc.api.')]: {} } },
  }
  const document = (at: string) => ({
    paths: {
      [`${at}/${model.plural}/{name}`]: {},
      [path]: { [method]: { tags: ['custom'], operationId: 'share', ...hostile.operation } },
    },
    components: { schemas: hostile.schemas ?? {} },
  })
  const call = async ({ path: asked }: { readonly path: string }) =>
    documents[asked] ?? document(asked.slice('/openapi/v3'.length))
  return moduleText(await readDescribedApi({ call }, () => true), 'http://localhost')
}

/** Imports the module; returns its exports, and whether code of the server ran. */
async function imported(text: string): Promise<unknown> {
  writeFileSync(join(folder, 'api.ts'), text)
  const program = `const found = await import('./api.ts')
    console.log(JSON.stringify({ exports: Object.keys(found), attacked: globalThis.attacked === true }))`
  const options = ['--conditions=@pergola/source', '--input-type=module', '--eval', program]
  return JSON.parse((await execute(process.execPath, options, { cwd: folder })).stdout) as unknown
}

const usual = ['Todo', 'connect', 'ownTodos', 'share', 'shareOfUcApiTodoExampleCom']
const text = { type: 'string', description: everything }

describe('any', () => {
  describe('a server whose documents contain code', () => {
    const written: readonly (readonly [where: string, hostile: Hostile])[] = [
      ['a summary', { operation: { summary: everything } }],
      ['a path', { path: everything }],
      ['a method', { method: everything }],
      ['a parameter', { operation: { parameters: [{ name: everything, in: 'query', schema: text }] } }],
      ['an index', { model: { indexes: [{ name: everything, type: everything, multi: false }] } }],
      ['an index of a prototype', { model: { indexes: [{ name: 'a', type: 'constructor', multi: false }] } }],
      ['a schema', { schemas: { Todo: { ...text, properties: { [everything]: text, spec: { const: everything } } } } }],
      ['an enum', { schemas: { Todo: { properties: { spec: { enum: [everything, { a: 1 }] } } } } }],
      ['a type', { schemas: { Todo: { properties: { spec: { type: [everything, 'constructor'] } } } } }],
    ]
    for (const [where, hostile] of written) {
      test(`in ${where}: nothing of it runs, and nothing else is exported`, async () => {
        expect(await imported(await generate(hostile))).toEqual({ exports: usual, attacked: false })
      })
    }

    test('in a referenced schema: nothing of it runs, and nothing else is exported', async () => {
      const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
      const properties = { spec: { properties: { a: ref('Part'), b: ref(`x${everything}`) } } }
      const schemas = { Todo: { properties }, Part: { ...text, properties: { a: text } } }
      expect(await imported(await generate({ schemas }))).toEqual({ exports: usual, attacked: false })
    })

    test('named like words of the language: the module is valid', async () => {
      const module = await imported(await generate({ operation: { operationId: 'delete' }, model: { kind: 'Served' } }))
      expect(module).toMatchObject({ attacked: false })
    })

    const refused: readonly (readonly [where: string, hostile: Hostile, names: string])[] = [
      ['an operation id', { operation: { operationId: `a = (${code}), b` } }, 'the operationId of POST /share'],
      ['an operation id that is no text', { operation: { operationId: [code] } }, 'the operationId of POST /share'],
      ['a kind', { model: { kind: `Todo {}\n${code}\ninterface B` } }, 'a kind'],
      ['a plural', { model: { plural: `x*/ ${code} /*` } }, 'a plural'],
      ['a singular', { model: { singular: `'${code}` } }, 'a singular'],
      ['a group and version', { group: 'x*', version: ` ${code} ` }, 'a group'],
      ['a version', { version: `\n${code}` }, 'a version'],
      [
        'the name of a schema',
        { schemas: { Todo: { properties: { spec: { $ref: '#/components/schemas/1' } } } } },
        'a schema',
      ],
    ]
    for (const [where, hostile, names] of refused) {
      test(`in ${where}: it is refused by name`, async () => {
        await expect(generate(hostile)).rejects.toThrow(names)
      })
    }
  })
})
