import { shallowRef, type VNode } from 'vue'

type Render = (this: unknown, ...given: readonly unknown[]) => VNode | null

/** A component of pages in development. */
interface HotComponent {
  readonly component: { render?: Render }
  readonly render: Render
  /** A hash of its template. */
  readonly template: string
}

/** What a module of pages has in development. */
export interface HotModule {
  /** The same in another module whose components can take over the state of these. */
  readonly state?: string
  readonly hot?: ReadonlyMap<string, HotComponent>
}

export interface HotPages {
  /** Shows the templates of another module in the components of this one; false if the state cannot be kept. */
  readonly take: (next: HotModule) => boolean
}

/** Makes the templates of a module replaceable. A component with another template renders anew, and keeps its state. */
export function hotPages({ state, hot }: HotModule): HotPages {
  const replaceable = new Map([...(hot ?? [])].map(([id, one]) => [id, replaceableIn(one)]))
  return {
    take: (next) => {
      if (state === undefined || next.state !== state) return false
      for (const [id, one] of next.hot ?? []) replaceable.get(id)?.(one)
      return true
    },
  }
}

function replaceableIn({ component, render, template }: HotComponent): (next: HotComponent) => void {
  const shown = shallowRef<Pick<HotComponent, 'render' | 'template'>>({ render, template })
  /** The templates that filled the caches of instances. */
  const filled = new WeakMap<object, string>()
  component.render = function renderShown(...given) {
    const { template: now, render: current } = shown.value
    const cache = given[1] as unknown[]
    if ((filled.get(cache) ?? now) !== now) cache.length = 0
    filled.set(cache, now)
    const node = current.call(this, ...given)
    // Another key: Vue compares nodes of one template by their positions.
    if (node && now !== template) node.key = `${String(node.key)} ${now}`
    return node
  }
  return (next) => {
    if (next.template !== shown.value.template) shown.value = next
  }
}
