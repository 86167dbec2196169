import { History, Puzzle, Shield } from '@lucide/vue'
import type { RouteLocationResolved, Router } from 'vue-router'
import { hueOfName } from '../kit/hue.ts'
import { iconOf } from '../kit/icons.ts'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { holdsAll, mayDo } from '../session/permissions.ts'
import type { RecentPage } from '../shell/recent-list.ts'
import { recentPages } from '../shell/recent-pages.ts'
import { words } from '../words/words.ts'
import type { Hit } from './hit.ts'

/** The pages visited last, without the current one and those that the user may no longer open. */
export async function recentHits(router: Router): Promise<readonly Hit[]> {
  const here = router.currentRoute.value.path
  const [pages, models] = await Promise.all([recentPages(), modelsAllowing('list')])
  const others = pages.filter(({ path }) => path !== here)
  const hits = await Promise.all(
    others.map(async (page) => {
      const to = router.resolve(page.path)
      return (await mayOpen(to)) ? hitOf(page, to, models) : undefined
    }),
  )
  return hits.filter((hit) => hit !== undefined)
}

async function mayOpen({ name, meta }: RouteLocationResolved): Promise<boolean> {
  if (name === 'nothing-here' || !holdsAll(meta.permissions)) return false
  return meta.needs === undefined || mayDo(meta.needs)
}

/** Undefined for objects and lists of a model that is gone or that the user may no longer list. */
function hitOf(
  { path, title }: RecentPage,
  { name, params, meta }: RouteLocationResolved,
  models: readonly ListedModel[],
): Hit | undefined {
  const hit = { key: `recent ${path}`, title, hint: '', act: path }
  const { users, roles, plugins } = words.value
  if (name === 'user') return { ...hit, hint: users.title, isPerson: true }
  if (name === 'role') return { ...hit, hint: roles.title, icon: Shield }
  if (name === 'plugin') return { ...hit, hint: plugins.title, icon: Puzzle }
  if (name !== 'object' && name !== 'objects') return { ...hit, icon: meta.icon ?? History }
  const group = params['group'] === '-' ? '' : params['group']
  const model = models.find((one) => one.group === group && one.plural === params['plural'])
  if (!model) return undefined
  const tile = model.display?.color ?? hueOfName(model.group)
  return { ...hit, hint: name === 'object' ? manyOf(model) : model.group, icon: iconOf(model.display?.icon), tile }
}
