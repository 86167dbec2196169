import { shallowRef } from 'vue'
import type { Router } from 'vue-router'
import { client } from '../server/client.ts'
import type { PluginPages } from './define-pages.ts'
import { framed, failedPage } from './framed.ts'
import { adoptStyle } from './adopt-style.ts'

export interface PluginMenu {
  readonly heading: string
  readonly entries: readonly {
    readonly title: string
    readonly to: string
    readonly permissions?: readonly string[] | undefined
  }[]
}

/** What pages of plugins have added to the menu. */
export const pluginMenus = shallowRef<readonly PluginMenu[]>([])

interface PagedPlugin {
  readonly name: string
  readonly displayName: string
  readonly module: string
}

interface Loaded {
  readonly module: string
  readonly menu: PluginMenu
  readonly remove: () => void
}

const loaded = new Map<string, Loaded>()
/** A module that never comes, or waits for ever, is given up: the console is there without it. */
const loadMs = 10_000

/** Brings the pages of those plugins that are enabled now, and takes away the others'. */
export async function readPluginPages(router: Router): Promise<void> {
  const answer = await client.call({ method: 'GET', path: '/plugins/pages.json' }).catch(() => undefined)
  if (answer === undefined) return
  const { items } = answer as { readonly items: readonly PagedPlugin[] }
  const isSame = ({ name, module }: PagedPlugin) => loaded.get(name)?.module === module
  const gone = [...loaded.keys()].filter((name) => !items.some((one) => one.name === name && isSame(one)))
  const come = items.filter((one) => !isSame(one))
  for (const name of gone) {
    loaded.get(name)?.remove()
    loaded.delete(name)
  }
  const brought = await Promise.all(come.map(async (plugin) => ({ plugin, loaded: await bring(router, plugin) })))
  for (const { plugin, loaded: one } of brought) loaded.set(plugin.name, one)
  if (gone.length === 0 && brought.length === 0) return
  pluginMenus.value = [...loaded.values()].map(({ menu }) => menu).filter(({ entries }) => entries.length > 0)
  // Whoever has opened a page of a plugin by its address was there before it. Nobody else is moved: they may be on their way.
  await router.isReady()
  const { path, fullPath } = router.currentRoute.value
  if (path.startsWith('/p/')) await router.replace(fullPath)
}

async function bring(router: Router, plugin: PagedPlugin): Promise<Loaded> {
  const base = `/p/${plugin.name}`
  const { name, displayName } = plugin
  const { pages, style } = await loadPages(plugin).catch((error: unknown): LoadedPages => ({
    pages: [{ path: '', component: failedPage(name, error), title: displayName, inMenu: true }],
    style: '',
  }))
  const dropStyle = adoptStyle(name, style)
  const removers = pages.map(({ path, component, title, permissions }) =>
    router.addRoute({
      path: path === '' ? base : `${base}/${path.replace(/^\//, '')}`,
      component: framed(name, component),
      meta: { title: () => title, ...(permissions && { permissions }) },
    }),
  )
  const entries = pages
    .filter(({ inMenu }) => inMenu !== false)
    .map(({ path, title, permissions }) => ({ title, to: path === '' ? base : `${base}/${path}`, permissions }))
  return {
    module: plugin.module,
    menu: { heading: displayName, entries },
    remove: () => {
      for (const remove of removers) remove()
      dropStyle()
    },
  }
}

interface LoadedPages extends PluginPages {
  readonly style: string
}

async function loadPages({ module }: PagedPlugin): Promise<LoadedPages> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`${module} has not come within ${loadMs / 1000} s`)), loadMs)
  })
  const loading = import(/* @vite-ignore */ module) as Promise<{
    readonly default?: PluginPages
    readonly style?: string
  }>
  const { default: exported, style = '' } = await Promise.race([loading, late])
  if (!Array.isArray(exported?.pages)) {
    throw new Error(`${module} exports no pages; it should: export default definePages({ … })`)
  }
  return { pages: exported.pages, style }
}
