import { coreResources, type Plugin } from '@pergola/api'
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { client } from '../server/client.ts'
import { useMay } from '../session/use-may.ts'
import { levelOf } from './plugin-object.ts'

/**
 * Plugins that do not run, kept current; none for users who may not watch plugins. Unlike `useLiveList`, does not affect the
 * live state of the page.
 */
export function useFailingPlugins(): Readonly<ShallowRef<readonly Plugin[]>> {
  const failing = shallowRef<readonly Plugin[]>([])
  const mayWatch = useMay({ verb: 'watch', group: coreResources.plugins.group, resource: coreResources.plugins.plural })
  let live: { readonly close: () => void } | undefined
  watch(
    mayWatch,
    (may) => {
      if (!may || live) return
      const following = client.collection({ singular: 'plugin', ...coreResources.plugins }).live()
      following.subscribe((all) => {
        failing.value = (all as readonly Plugin[]).filter((plugin) => levelOf(plugin) === 'bad')
      })
      live = following
    },
    { immediate: true },
  )
  onScopeDispose(() => live?.close())
  return failing
}
