import type { JsonSchema, ModelDeclaration, PluginDefinition } from '@pergola/api'
import { pluginPackage } from '../../end-to-end/plugin-package.ts'

const version = 'v1alpha1'

/** Paths of the objects and custom APIs of a plugin of these trials. */
const groupOf = (plugin: string): string => `${plugin}.example.com`
export const thingsOf = (plugin: string): string => `/apis/${groupOf(plugin)}/${version}/things`
export const apiOf = (plugin: string, name: string): string => `/apis/api.${groupOf(plugin)}/${version}/${name}`

export interface HostilePlugin {
  readonly name: string
  readonly version?: string
  /** Parts of its model `things`; without them it has no model. */
  readonly model?: Partial<ModelDeclaration>
  /** Schema of `spec`. */
  readonly spec?: JsonSchema
  /** Source of handlers `(request, response)`, by the last segment of their paths. */
  readonly apis?: Readonly<Record<string, string>>
  /** Source of a function from items to results. */
  readonly evaluate?: string
  /** Source that runs first. */
  readonly first?: string
}

/** A plugin with a minimal implementation of the protocol, plus its misbehaviour. */
export function hostilePackage(plugin: HostilePlugin): Buffer {
  const definition = definitionOf(plugin)
  const files = { 'plugin.js': programOf(plugin, definition) }
  return pluginPackage({ definition, version: plugin.version ?? '1.0.0', files })
}

function definitionOf({ name, model, spec, apis = {} }: HostilePlugin): PluginDefinition {
  const group = groupOf(name)
  const properties = { spec: spec ?? { type: 'object' } }
  const things = { group, kind: 'Thing', singular: 'thing', plural: 'things', check: false }
  return {
    protocol: 1,
    name,
    groups: [group],
    api: `${group}/${version}`,
    models: model ? [{ ...things, versions: [{ name: version, schema: { properties } }], ...model }] : [],
    routes: Object.keys(apis).map((path) => ({ audience: 'public', method: 'GET', path: apiOf(name, path) })),
    apps: [],
    owned: [],
    roles: [],
    controllers: [],
    schedules: [],
    permissions: [],
  }
}

function programOf({ apis = {}, evaluate, first = '' }: HostilePlugin, definition: PluginDefinition): string {
  const answers = Object.entries(apis).map(([path, source]) => `${JSON.stringify(path)}: ${source}`)
  return `
    import { spawn } from 'node:child_process'
    import { createServer } from 'node:http'
    import { existsSync, readFileSync, writeFileSync } from 'node:fs'
    const { listen } = JSON.parse(readFileSync(3, 'utf8'))
    ${first}
    const definition = ${JSON.stringify(definition)}
    const apis = { ${answers.join(',\n')} }
    const evaluate = ${evaluate ?? '(items) => items.map(() => ({ values: {} }))'}
    createServer(async (request, response) => {
      if (request.url === '/pergola/health') return response.end('{}')
      if (request.url === '/pergola/definition') return response.end(JSON.stringify(definition))
      if (request.url !== '/pergola/evaluate') return apis[new URL(request.url, 'http://x').pathname.split('/').at(-1)](request, response)
      let text = ''
      for await (const chunk of request) text += chunk
      response.end(JSON.stringify({ items: evaluate(JSON.parse(text).items) }))
    }).listen(listen)`
}
