import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PluginAbout, PluginDefinition } from '@pergola/api'

/** A package of arbitrary files, in the format of `pergola plugin pack`. */
export function packageOf(files: Readonly<Record<string, string>>): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-package-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, 'in', name)), { recursive: true })
      writeFileSync(join(directory, 'in', name), text)
    }
    execFileSync('tar', ['-czf', 'out.tgz', '-C', 'in', '.'], { cwd: directory })
    return readFileSync(join(directory, 'out.tgz'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const group = 'todo.example.com'

export const todoDefinition: PluginDefinition = {
  protocol: 1,
  name: 'todo',
  groups: [group],
  api: `${group}/v1alpha1`,
  models: [
    {
      group,
      kind: 'Todo',
      singular: 'todo',
      plural: 'todos',
      versions: [
        {
          name: 'v1alpha1',
          schema: {
            properties: {
              spec: { type: 'object', properties: { title: { type: 'string' }, state: { type: 'string' } } },
            },
          },
        },
      ],
      indexes: [
        { name: 'spec.state' },
        { name: 'words', evaluated: 'multi', revision: 1 },
        { name: 'first', evaluated: 'single', revision: 1 },
      ],
      check: true,
    },
  ],
  routes: [
    { audience: 'console', method: 'GET', path: `/apis/console.api.${group}/v1alpha1/todos/-/stats` },
    { audience: 'uc', method: 'POST', path: `/apis/uc.api.${group}/v1alpha1/todos/{name}/share` },
    { audience: 'public', method: 'GET', path: `/apis/api.${group}/v1alpha1/echo` },
  ],
  apps: [],
  owned: [],
  roles: [],
  controllers: [],
  schedules: [],
  permissions: [],
}

/**
 * A plugin that implements the protocol without the SDK. `answer(request, response, ask)` handles custom API requests;
 * `ask(path, headers)` calls the host.
 */
function pluginProgram(definition: object, answer: string, words: string): string {
  return `
    import { createServer, request as send } from 'node:http'
    import { existsSync, readFileSync, writeFileSync } from 'node:fs'
    const { token, listen, host } = JSON.parse(readFileSync(3, 'utf8'))
    const definition = ${JSON.stringify(definition)}
    const ask = (path, { method = 'GET', body, ...headers } = {}) => new Promise((resolve, reject) => {
      const options = { socketPath: host, path, method, headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json', ...headers } }
      send(options, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode, body: JSON.parse(text) })
      }).on('error', reject).end(body && JSON.stringify(body))
    })
    const answer = ${answer}
    const spelled = {
      lower: (text) => text.toLowerCase(),
      upper: (text) => text.toUpperCase(),
      throw: () => undefined,
    }
    const wordsOf = (title) => spelled['${words}'](title).split(' ').filter((word) => word !== '')
    const evaluate = async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const asked = JSON.parse(text).items
      console.log('asked for ' + asked.length)
      const items = asked.map(({ object: { spec }, indexes, check }) => {
        // Answers at last, so that a host without a timeout would succeed and fail the test.
        if (spec?.title === 'slow') return new Promise((done) => setTimeout(() => done({ values: {} }), 40_000))
        if (spec?.title === 'throws' || '${words}' === 'fail') return { failed: 'a planted one' }
        const words = wordsOf(spec?.title ?? '')
        const said = { words, first: words.slice(0, 1) }
        const values = Object.fromEntries(indexes.map((name) => [name, said[name]]))
        if (!check || spec?.title !== 'never') return { values }
        const message = 'never ' + check.verb + ' by ' + check.caller + (check.stored ? ' after ' + check.stored.spec.title : '')
        return { values, errors: [{ pointer: '/spec/title', field: 'spec.title', message }] }
      })
      // Long enough for other requests to arrive meanwhile.
      if (asked.some(({ object: { spec } }) => spec?.title?.startsWith('many'))) await new Promise((done) => setTimeout(done, 300))
      response.end(JSON.stringify({ items: await Promise.all(items) }))
    }
    createServer((request, response) => {
      if (request.headers.authorization !== 'Bearer ' + token) return response.writeHead(401).end()
      if (request.url === '/pergola/health') return response.end('{}')
      if (request.url === '/pergola/definition') return response.end(JSON.stringify(definition))
      if (request.url === '/pergola/evaluate') return evaluate(request, response)
      return answer(request, response, ask)
    }).listen(listen)
    console.log('todo is up')`
}

export interface PluginFiles {
  readonly definition?: PluginDefinition
  readonly answer?: string
  readonly version?: string
  /** How the plugin spells the words that it indexes. */
  readonly words?: 'lower' | 'upper' | 'throw' | 'fail'
  readonly files?: Readonly<Record<string, string>>
  /** Entry file of its console pages. */
  readonly ui?: string
  /** Further fields of its manifest. */
  readonly about?: PluginAbout
}

export function pluginPackage({ definition = todoDefinition, words = 'lower', ...sent }: PluginFiles = {}): Buffer {
  const { answer, version, files, ui } = sent
  const named = { name: definition.name, version: version ?? '1.0.0', displayName: 'Todos' }
  const manifest = { ...named, ...sent.about, ...(ui !== undefined && { ui }), definition }
  return packageOf({
    'plugin.json': JSON.stringify(manifest),
    'plugin.js': pluginProgram(definition, answer ?? '(request, response) => response.end()', words),
    ...files,
  })
}
