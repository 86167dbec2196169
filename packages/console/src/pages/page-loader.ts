import type { Component } from 'vue'
import { adoptStyle } from './adopt-style.ts'
import { keepBuiltIns } from './built-ins.ts'
import type { PluginPage, PluginPages } from './define-pages.ts'
import { checkBuiltIns } from './guard-built-ins.ts'
import { hotPages, type HotModule } from './hot-pages.ts'

/** What a plugin's bundle of pages exports. */
interface PagesModule extends HotModule {
  readonly default?: PluginPages
  readonly style?: string
}

interface Loaded {
  readonly pages: PluginPages
  /** Shows another module in the components of this one; false if their state cannot be kept. */
  readonly take: (next: PagesModule) => boolean
}

export interface PageLoader {
  readonly page: (path: string) => Promise<{ readonly default: Component }>
  readonly dropStyle: () => void
  readonly take: (module: string) => Promise<boolean>
}

export interface LoadedPlugin {
  readonly plugin: string
  readonly title: string
  /** Address of the bundle. */
  readonly module: string
}

/** Imports a plugin's module when one of its pages is first opened: its code runs with the user's rights. */
export function createPageLoader({ plugin, title, module }: LoadedPlugin): PageLoader {
  let loading: Promise<Loaded> | undefined
  let dropStyle: (() => void) | undefined
  const importModule = async (from: string): Promise<PagesModule> => {
    keepBuiltIns()
    const importing = import(/* @vite-ignore */ from) as Promise<PagesModule>
    return importing.finally(() => checkBuiltIns(title))
  }
  const showStyle = (style = '') => {
    dropStyle?.()
    dropStyle = adoptStyle(plugin, style)
  }
  const load = async (): Promise<Loaded> => {
    const loaded = await importModule(module)
    showStyle(loaded.style)
    const { take } = hotPages(loaded)
    return { pages: loaded.default ?? {}, take }
  }
  return {
    dropStyle: () => dropStyle?.(),
    take: async (from) => {
      const known = await loading?.catch(() => undefined)
      const next = known && (await importModule(from).catch(() => undefined))
      if (!next || !known.take(next)) return false
      showStyle(next.style)
      return true
    },
    page: async (path) => {
      const page = (await (loading ??= load())).pages[path]
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
