import { defineAsyncComponent, defineComponent, h, type Component } from 'vue'
import type { PluginPage } from './define-pages.ts'
import PluginFrame from './plugin-frame.vue'
import PluginFault from './plugin-fault.vue'

const loadMs = 10_000

/** A page of a plugin in a frame of its own: whatever it throws is shown there, and nowhere else. */
export function framed(plugin: string, component: PluginPage['component']): Component {
  const page =
    typeof component === 'function' && !('props' in component) && component.length === 0
      ? defineAsyncComponent({
          loader: component as () => Promise<{ readonly default: Component }>,
          timeout: loadMs,
          suspensible: false,
          errorComponent: defineComponent({
            props: { error: Error },
            setup: (props) => () => h(PluginFault, { plugin, error: props.error }),
          }),
        })
      : (component as Component)
  return defineComponent({ setup: () => () => h(PluginFrame, { plugin, page }) })
}

/** In place of pages that could not be loaded. */
export function failedPage(plugin: string, error: unknown): Component {
  return defineComponent({ setup: () => () => h(PluginFault, { plugin, error, isMissing: true }) })
}
