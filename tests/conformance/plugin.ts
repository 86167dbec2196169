import type { ModelDeclaration, PluginDefinition } from '@pergola/api'
import { expect, vi } from 'vitest'
import { pluginPackage, todoDefinition, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { expectStatus, type Answer } from './request.ts'
import type { Api } from './server.ts'

export const todoGroup = 'todo.example.com'
export const todos = `/apis/${todoGroup}/v1alpha1/todos`
export const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const administration = '/apis/console.api.platform.run/v1alpha1/plugins'
export const packages = `${administration}/-/packages`
const gzip = { 'content-type': 'application/gzip' }

/** Installs a package with every approval that its plan asks for. */
export function install(api: Api, files: PluginFiles = {}): Promise<Answer> {
  return installPackage(api, pluginPackage(files))
}

export async function installPackage(api: Api, body: Buffer): Promise<Answer> {
  const plan = await api.request('POST', `${packages}?plan=true`, { body, headers: gzip })
  const { approvals = [] } = (plan.body ?? {}) as { readonly approvals?: readonly string[] }
  return installApproving(api, body, approvals)
}

export function installApproving(api: Api, body: Buffer, approvals: readonly string[]): Promise<Answer> {
  const approved = new URLSearchParams(approvals.map((name): [string, string] => ['approve', name]))
  return api.request('POST', `${packages}?${String(approved)}`, { body, headers: gzip })
}

export async function phaseIs(api: Api, expected: object, plugin = 'todo'): Promise<void> {
  const look = async () => {
    const { body } = await api.request('GET', `${plugins}/${plugin}`)
    expect((body as { readonly status?: object }).status).toMatchObject(expected)
  }
  await vi.waitFor(look, { timeout: 60_000, interval: 50 })
}

/** Disables and enables the plugin. */
export async function restart(api: Api): Promise<void> {
  await enable(api, 'todo', false)
  await enable(api, 'todo', true)
}

/** Enables or disables the plugin without waiting. */
export async function enabling(api: Api, plugin: string, enabled: boolean): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  expectStatus(await api.request('PATCH', `${plugins}/${plugin}`, { headers, body: { spec: { enabled } } }), 200)
}

/** Enables or disables the plugin and waits for the phase. */
export async function enable(api: Api, plugin: string, enabled = true): Promise<void> {
  await enabling(api, plugin, enabled)
  await phaseIs(api, { phase: enabled ? 'Started' : 'Disabled' }, plugin)
}

/** Uninstalls the plugin; its data is kept. */
export async function uninstall(api: Api, plugin: string): Promise<void> {
  expectStatus(await api.request('POST', `${administration}/${plugin}/uninstall`), 200)
}

/** A model of notes in the plugin's group; `texts` are further fields of its spec. */
export function notesOf(plugin: string, change: Partial<ModelDeclaration> = {}, texts: object = {}): ModelDeclaration {
  const spec = { type: 'object', properties: { title: { type: 'string' }, ...texts } }
  return {
    group: `${plugin}.example.com`,
    kind: 'Note',
    singular: 'note',
    plural: 'notes',
    versions: [{ name: 'v1alpha1', schema: { properties: { spec } } }],
    check: false,
    ...change,
  }
}

export function notesPath(plugin: string): string {
  return `/apis/${plugin}.example.com/v1alpha1/notes`
}

/** The usual definition under another name and group, so that both can be installed. */
export function another(name: string, change: Partial<PluginDefinition> = {}): PluginDefinition {
  return { ...todoDefinition, name, groups: [`${name}.example.com`], models: [], routes: [], ...change }
}
