import type { DisplayIcon } from '@pergola/api'
import { defineComponent, h, shallowRef, type Component } from 'vue'
import type { Router } from 'vue-router'
import type { Hue } from '../kit/hue.ts'
import { client } from '../server/client.ts'
import { language } from '../words/words.ts'
import { adoptStyle } from './adopt-style.ts'
import { keepBuiltIns } from './built-ins.ts'
import type { PluginPage, PluginPages } from './define-pages.ts'
import { checkBuiltIns } from './guard-built-ins.ts'
import PluginFrame from './plugin-frame.vue'

export interface PluginMenu {
  readonly heading: string
  readonly icon?: DisplayIcon | undefined
  readonly color?: Hue | undefined
  readonly entries: readonly {
    /** In the language of the console. */
    readonly title: () => string
    readonly to: string
    readonly permissions?: readonly string[] | undefined
  }[]
}

/** The menu entries of plugins. */
export const pluginMenus = shallowRef<readonly PluginMenu[]>([])

interface PagedPlugin {
  readonly name: string
  readonly displayName: string
  readonly icon?: DisplayIcon
  readonly color?: Hue
  readonly module: string
  readonly pages: readonly {
    readonly path: string
    readonly title: string
    readonly titles?: Readonly<Record<string, string>>
    readonly permissions?: readonly string[]
    readonly inMenu?: boolean
  }[]
}

interface Offered {
  readonly module: string
  readonly menu: PluginMenu
  readonly remove: () => void
}

const offered = new Map<string, Offered>()

/** Adds the pages of enabled plugins and removes all others. Runs no plugin code. */
export async function readPluginPages(router: Router): Promise<void> {
  const answer = await client.call({ method: 'GET', path: '/plugins/pages.json' }).catch(() => undefined)
  if (answer === undefined) return
  const { items } = answer as { readonly items: readonly PagedPlugin[] }
  const isSame = ({ name, module }: PagedPlugin) => offered.get(name)?.module === module
  const gone = [...offered.keys()].filter((name) => !items.some((one) => one.name === name && isSame(one)))
  const added = items.filter((one) => !isSame(one))
  for (const name of gone) {
    offered.get(name)?.remove()
    offered.delete(name)
  }
  for (const plugin of added) offered.set(plugin.name, offer(router, plugin))
  if (gone.length === 0 && added.length === 0) return
  pluginMenus.value = [...offered.values()].map(({ menu }) => menu).filter(({ entries }) => entries.length > 0)
  // A user who opened a plugin page by its address waits on the unknown route. Other users stay, even during a navigation.
  await router.isReady()
  const { path, fullPath } = router.currentRoute.value
  if (path.startsWith('/p/')) await router.replace(fullPath)
}

function offer(router: Router, { name, displayName, icon, color, module, pages }: PagedPlugin): Offered {
  const base = `/p/${name}`
  const addressOf = (path: string) => (path === '' ? base : `${base}/${path}`)
  const loader = createLoader(name, displayName, module)
  const removers = pages.map(({ path, permissions, ...page }) =>
    router.addRoute({
      path: addressOf(path),
      // Each page needs its own component: the router would reuse one frame for all pages.
      component: defineComponent({
        setup: () => () =>
          h(PluginFrame, { plugin: { name, title: displayName, icon, color }, load: () => loader.page(path) }),
      }),
      meta: { title: () => titleOf(page), ...(permissions && { permissions }) },
    }),
  )
  const entries = pages
    .filter(({ path, inMenu = !path.includes(':') }) => inMenu)
    .map(({ path, permissions, ...page }) => ({ title: () => titleOf(page), to: addressOf(path), permissions }))
  return {
    module,
    menu: { heading: displayName, icon, color, entries },
    remove: () => {
      for (const remove of removers) remove()
      loader.dropStyle()
    },
  }
}

function titleOf({ title, titles }: Pick<PagedPlugin['pages'][number], 'title' | 'titles'>): string {
  return titles?.[language.value] ?? title
}

/** Imports a plugin's module when one of its pages is first opened: its code runs with the user's rights. */
function createLoader(plugin: string, title: string, module: string) {
  let loading: Promise<PluginPages> | undefined
  let dropStyle: (() => void) | undefined
  const load = async (): Promise<PluginPages> => {
    keepBuiltIns()
    const importing = import(/* @vite-ignore */ module) as Promise<{
      readonly default?: PluginPages
      readonly style?: string
    }>
    const loaded = await importing.finally(() => checkBuiltIns(title))
    dropStyle = adoptStyle(plugin, loaded.style ?? '')
    return loaded.default ?? {}
  }
  return {
    dropStyle: () => dropStyle?.(),
    page: async (path: string): Promise<{ readonly default: Component }> => {
      const page = (await (loading ??= load()))[path]
      if (page === undefined) {
        throw new Error(`${module} has no page "${path}"; it should: export default definePages({ '${path}': … })`)
      }
      return isLoader(page) ? page() : { default: page }
    },
  }
}

function isLoader(page: PluginPage): page is () => Promise<{ readonly default: Component }> {
  return typeof page === 'function' && !('props' in page) && page.length === 0
}
