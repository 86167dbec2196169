import { defineAsyncComponent, shallowRef, watch, type Component, type Ref } from 'vue'
import type { NeededRight, RouteLocationRaw } from 'vue-router'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { pluginMenus } from '../pages/plugin-pages.ts'
import { held, holdsAll, mayDo } from '../session/permissions.ts'
import { words } from '../words/words.ts'
import { entries } from './host-pages.ts'

const failingPlugins = defineAsyncComponent(async () => import('./failing-plugins.vue'))

export interface MenuEntry {
  readonly title: string
  readonly to: RouteLocationRaw
  readonly hint?: string
  /** Shown behind the title. */
  readonly badge?: Component
}

export interface MenuSection {
  readonly heading?: string
  readonly entries: readonly MenuEntry[]
}

/** What whoever is signed in may open, anew whenever that changes. */
export function useMenu(): Readonly<Ref<readonly MenuSection[]>> {
  const menu = shallowRef<readonly MenuSection[]>([])
  let latest = 0
  watch(
    [held, words, pluginMenus],
    async () => {
      const mine = ++latest
      const made = await make()
      if (mine === latest) menu.value = made
    },
    { immediate: true },
  )
  return menu
}

async function make(): Promise<readonly MenuSection[]> {
  const { menu } = words.value
  const [start, access, plugins, listed] = await Promise.all([
    pagesNamed(['overview']),
    pagesNamed(['users', 'roles', 'why']),
    pagesNamed(['plugins']),
    modelsAllowing('list'),
  ])
  const models = listed.filter(({ hasPage }) => !hasPage)
  const sections: readonly MenuSection[] = [
    { entries: start },
    ...pluginMenus.value.map(({ heading, entries: pages }) => ({
      heading,
      entries: pages.filter(({ permissions }) => holdsAll(permissions)),
    })),
    { heading: menu.data, entries: models.filter(({ isOwn }) => !isOwn).map(modelEntry) },
    { heading: menu.access, entries: access },
    {
      heading: menu.host,
      entries: [
        ...plugins.map((entry) => ({ ...entry, badge: failingPlugins })),
        ...models.filter(({ isOwn }) => isOwn).map(modelEntry),
      ],
    },
  ]
  return sections.filter((section) => section.entries.length > 0)
}

async function pagesNamed(names: readonly string[]): Promise<readonly MenuEntry[]> {
  const found = entries.filter(({ name }) => names.includes(String(name)))
  const may = await Promise.all(
    found.map(async ({ meta }) => holdsAll(meta?.permissions) && (await allows(meta?.needs))),
  )
  return found
    .filter((_, at) => may[at])
    .map(({ name, meta }) => ({ title: meta?.title?.() ?? String(name), to: { name: name ?? '' } }))
}

async function allows(needs: NeededRight | undefined): Promise<boolean> {
  return needs === undefined || mayDo(needs)
}

function modelEntry(model: ListedModel): MenuEntry {
  const { group, version, plural } = model
  return {
    title: manyOf(model),
    to: { name: 'objects', params: { group: group || '-', version, plural } },
    hint: group,
  }
}
