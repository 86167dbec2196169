import { defineAsyncComponent, defineComponent, h, type Component } from 'vue'
import PluginFault from './plugin-fault.vue'
import PluginFrame from './plugin-frame.vue'

const loadMs = 10_000

/** A page of a plugin in a frame of its own: an error is shown there and affects nothing else. */
export function framed(plugin: string, loader: () => Promise<{ readonly default: Component }>): Component {
  const page = defineAsyncComponent({
    loader,
    timeout: loadMs,
    suspensible: false,
    errorComponent: defineComponent({
      props: { error: Error },
      setup: (props) => () => h(PluginFault, { plugin, error: props.error }),
    }),
  })
  return defineComponent({ setup: () => () => h(PluginFrame, { plugin, page }) })
}
