import type { DisplayIcon } from '@pergola/api'
import { defineComponent, h, shallowRef } from 'vue'
import type { Router } from 'vue-router'
import type { Hue } from '../kit/hue.ts'
import { isSame as isSameValue } from '../models/same.ts'
import { client } from '../server/client.ts'
import { language } from '../words/words.ts'
import { createPageLoader } from './page-loader.ts'
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
  readonly plugin: PagedPlugin
  readonly menu: PluginMenu
  readonly remove: () => void
  /** Shows another module of the same pages, and keeps their state; false if that is impossible. */
  readonly take: (module: string) => Promise<boolean>
}

const offered = new Map<string, Offered>()

/** Adds the pages of enabled plugins and removes all others. Runs no plugin code. */
export async function readPluginPages(router: Router): Promise<void> {
  const answer = await client.call({ method: 'GET', path: '/plugins/pages.json' }).catch(() => undefined)
  if (answer === undefined) return
  const { items } = answer as { readonly items: readonly PagedPlugin[] }
  await takeModules(items)
  const isSame = ({ name, module }: PagedPlugin) => offered.get(name)?.plugin.module === module
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

/** In development, a plugin has another module after every save. */
async function takeModules(items: readonly PagedPlugin[]): Promise<void> {
  for (const plugin of items) {
    const known = offered.get(plugin.name)
    if (!known || known.plugin.module === plugin.module) continue
    const isLike = isSameValue({ ...plugin, module: '' }, { ...known.plugin, module: '' })
    if (isLike && (await known.take(plugin.module))) offered.set(plugin.name, { ...known, plugin })
  }
}

function offer(router: Router, plugin: PagedPlugin): Offered {
  const { name, displayName, icon, color, module, pages } = plugin
  const base = `/p/${name}`
  const addressOf = (path: string) => (path === '' ? base : `${base}/${path}`)
  const loader = createPageLoader({ plugin: name, title: displayName, module })
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
    plugin,
    take: loader.take,
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
