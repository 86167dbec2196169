import { definePages } from '@pergola/console'
import { defineComponent, h } from 'vue'

const Throws = defineComponent({
  setup: () => {
    throw new Error('this page throws')
  },
})

/** Throws on a click. */
const ThrowsLater = defineComponent({
  setup: () => () =>
    h(
      'button',
      {
        onClick: () => {
          throw new Error('this click throws')
        },
      },
      'Fail now',
    ),
})

const broken = () => {
  throw new Error('this function was replaced')
}
const open = globalThis as unknown as Record<string, unknown>
const replace = (name: string, key: string) => {
  ;(open[name] as { readonly prototype: Record<string, unknown> }).prototype[key] = broken
}

/** Replaces functions that the whole console uses, at its start and on a click. */
const Patches = defineComponent({
  setup: () => {
    replace('Array', 'map')
    replace('Promise', 'then')
    open['fetch'] = broken
    replace('Object', 'everywhere')
    return () =>
      h(
        'button',
        {
          onClick: () => {
            replace('String', 'includes')
            JSON.parse = broken
            replace('Element', 'append')
          },
        },
        'Replace more',
      )
  },
})

/** Tries to load resources from another origin, which the console blocks. */
const elsewhere = 'https://elsewhere.example/script.js'

// oxlint-disable-next-line import/no-default-export -- the console requires it
export default definePages({
  '': Throws,
  later: ThrowsLater,
  patches: Patches,
  never: () => new Promise(() => {}),
  elsewhere: () => import(/* @vite-ignore */ elsewhere),
})
