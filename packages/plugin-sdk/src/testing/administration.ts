import { setTimeout as sleep } from 'node:timers/promises'
import { secretSettings, settingsObjectName, type PluginDefinition } from '@pergola/api'
import { createClient, type Client } from '@pergola/client'

/** Password of every user in the test. */
const password = 'only for this test'
export const administrator = { username: 'admin', password }

const core = '/api/v1alpha1'
const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
const lookMs = 5
/** Timeout for a plugin to start. */
const startMs = 60_000
/** Reasons for `NotStarted` that waiting does not change. What a plugin depends on is started before it. */
const hopeless = new Set<string | undefined>(['BackingOff', 'DuplicateValues', 'WaitingForDependency'])

/** Operator actions on a host, through the operators' API. */
export interface Administration {
  readonly client: Client
  /** Installs the package and approves everything that it requests. */
  install(archive: Uint8Array<ArrayBuffer>): Promise<void>
  /** Enables an installed plugin. */
  enable(plugin: string): Promise<void>
  /** Stores plain settings in the config map and secrets in the secret. */
  fillIn(definition: PluginDefinition, settings: object): Promise<void>
  /** Waits until the plugin is started; throws when it fails to start. */
  untilStarted(plugin: string): Promise<void>
  /** Creates a user with these roles, signs in and returns the token. */
  addUser(name: string, roles: readonly string[]): Promise<string>
}

export interface HostAddress {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

export async function administer({ url, fetch }: HostAddress): Promise<Administration> {
  const signIn = async (username: string) => {
    const visitor = createClient({ url, fetch, headers: { origin: url } })
    const body = { username, password, transport: 'token' }
    return (await visitor.call({ method: 'POST', path: '/auth/sessions', body })) as { readonly token: string }
  }
  const { token } = await signIn(administrator.username)
  const client = createClient({ url, fetch, token })
  const post = (path: string, body: object) => client.call({ method: 'POST', path, body })
  const sendPackage = async (body: Uint8Array<ArrayBuffer>, query: URLSearchParams) => {
    const headers = { 'content-type': 'application/gzip', authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}${packages}?${String(query)}`, { method: 'POST', headers, body })
    const said = (await answer.json()) as { readonly detail?: string; readonly approvals?: readonly string[] }
    if (!answer.ok) throw new Error(`the host does not take the plugin: ${said.detail ?? answer.status}`)
    return said.approvals ?? []
  }
  return {
    client,
    install: async (archive) => {
      const approvals = await sendPackage(archive, new URLSearchParams({ plan: 'true' }))
      await sendPackage(archive, new URLSearchParams(approvals.map((name) => ['approve', name])))
    },
    enable: async (plugin) => {
      const type = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'plugins' }
      await client.resource(type).patch(plugin, { spec: { enabled: true } })
    },
    fillIn: async ({ name: plugin, settings: schema = {} }, settings) => {
      const metadata = { name: settingsObjectName(plugin) }
      const secret = new Set(secretSettings(schema))
      const [open, sealed] = [false, true].map((isSecret) =>
        Object.entries(settings).filter(([name]) => secret.has(name) === isSecret),
      )
      if (open?.length) await post(`${core}/configmaps`, { metadata, data: Object.fromEntries(open) })
      if (sealed?.length) await post(`${core}/secrets`, { metadata, data: Object.fromEntries(sealed) })
    },
    untilStarted: async (plugin) => {
      for (const deadline = performance.now() + startMs; ;) {
        const { status } = (await client.call({ method: 'GET', path: `${plugins}/${plugin}` })) as InstalledPlugin
        if (status?.phase === 'Started') return
        if (status?.phase === 'Failed' || hopeless.has(status?.reason)) {
          throw new Error(`the plugin "${plugin}" cannot be started: ${status?.message}`)
        }
        if (performance.now() > deadline) {
          const state = [status?.phase, status?.reason, status?.message].filter(Boolean).join(', ')
          throw new Error(`the plugin "${plugin}" was not started after ${startMs / 1000} s: ${state || 'no status'}`)
        }
        await sleep(lookMs)
      }
    },
    addUser: async (name, roles) => {
      await post(`${core}/users`, { metadata: { name } })
      for (const role of roles) {
        const metadata = { generateName: `${name}-` }
        await post(`${core}/rolebindings`, { metadata, roleRef: { name: role }, subjects: [{ name }] })
      }
      await client.call({ method: 'PUT', path: `${core}/users/${name}/password`, body: { password } })
      return (await signIn(name)).token
    },
  }
}

interface InstalledPlugin {
  readonly status?: { readonly phase: string; readonly reason?: string; readonly message?: string }
}
