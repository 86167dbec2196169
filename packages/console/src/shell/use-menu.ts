import { Puzzle } from '@lucide/vue'
import { defineAsyncComponent, shallowRef, watch, type Component, type Ref } from 'vue'
import type { NeededRight, RouteLocationRaw } from 'vue-router'
import { hueOfName, type Hue } from '../kit/hue.ts'
import { iconOf } from '../kit/icons.ts'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { pluginMenus } from '../pages/plugin-pages.ts'
import { held, holdsAll, mayDo } from '../session/permissions.ts'
import { words } from '../words/words.ts'
import { entries } from './host-pages.ts'

const againMs = 5_000
/** The menu does without it while it cannot be loaded. */
const failingPlugins = defineAsyncComponent({
  loader: async () => import('./failing-plugins.vue'),
  onError: (_error, retry) => void setTimeout(retry, againMs),
})

export interface MenuEntry {
  readonly title: string
  readonly to: RouteLocationRaw
  readonly icon: Component
  readonly hue?: Hue
  readonly hint?: string
  /** Shown behind the title. */
  readonly badge?: Component
}

export interface MenuSection {
  readonly heading?: string
  readonly entries: readonly MenuEntry[]
}

/** The menu entries that the signed-in user may open; follows changes of rights. */
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
  const [home, people, host, listed] = await Promise.all([
    pagesNamed(['home']),
    pagesNamed(['users', 'roles', 'why']),
    pagesNamed(['plugins', 'models', 'metrics']),
    modelsAllowing('list'),
  ])
  const work = [
    ...listed.filter(({ isOwn }) => !isOwn).map((model) => ({ section: model.display?.section, ...modelEntry(model) })),
    ...pluginMenus.value.flatMap(({ heading, color, icon, entries: pages }) =>
      pages
        .filter(({ permissions }) => holdsAll(permissions))
        .map(({ title, to }) => ({
          section: undefined,
          title: title(),
          to,
          hint: heading,
          icon: icon === undefined ? Puzzle : iconOf(icon),
          hue: color ?? hueOfName(heading),
        })),
    ),
  ]
  const headings = [...new Set(work.map(({ section }) => section))]
  const sections: readonly MenuSection[] = [
    { entries: home },
    ...headings.map((heading) => ({
      heading: heading ?? menu.work,
      entries: work.filter(({ section }) => section === heading),
    })),
    { heading: menu.people, entries: people },
    {
      heading: menu.host,
      entries: host.map((entry) => (entry.name === 'plugins' ? { ...entry, badge: failingPlugins } : entry)),
    },
  ]
  return sections.filter((section) => section.entries.length > 0)
}

async function pagesNamed(names: readonly string[]): Promise<readonly (MenuEntry & { readonly name: string })[]> {
  const found = names.flatMap((name) => entries.filter((entry) => entry.name === name))
  const may = await Promise.all(
    found.map(async ({ meta }) => holdsAll(meta?.permissions) && (await allows(meta?.needs))),
  )
  return found
    .filter((_, at) => may[at])
    .map(({ name, meta }) => ({
      name: String(name),
      title: meta?.title?.() ?? String(name),
      to: { name: name ?? '' },
      icon: meta?.icon ?? Puzzle,
    }))
}

async function allows(needs: NeededRight | undefined): Promise<boolean> {
  return needs === undefined || mayDo(needs)
}

function modelEntry(model: ListedModel): MenuEntry {
  const { group, version, plural, display } = model
  return {
    title: manyOf(model),
    to: { name: 'objects', params: { group: group || '-', version, plural } },
    hint: group,
    icon: iconOf(display?.icon),
    hue: display?.color ?? hueOfName(group),
  }
}
