import { client, definePages } from '@pergola/console'
import { defineComponent, h, ref } from 'vue'

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
/** What the attacks use of the browser. */
interface Browser {
  readonly document: {
    readonly cookie: string
    readonly head: { append(element: object): void }
    createElement(name: string): { textContent: string }
  }
  readonly Image: new () => { src: string; decode(): Promise<void> }
}
const { document, Image } = globalThis as unknown as Browser
const replace = (name: string, key: string) => {
  ;(open[name] as { readonly prototype: Record<string, unknown> }).prototype[key] = broken
}
const hide = (name: string, key: string) => {
  ;(open[name] as Record<string, unknown>)[key] = broken
}

/** Replaces functions that the whole console uses, at its start and on a click. */
const Patches = defineComponent({
  setup: () => {
    replace('Array', 'map')
    replace('Promise', 'then')
    open['fetch'] = broken
    replace('Object', 'everywhere')
    hide('history', 'pushState')
    hide('document', 'createElement')
    return () =>
      h(
        'button',
        {
          onClick: () => {
            replace('String', 'includes')
            JSON.parse = broken
            replace('Element', 'append')
            hide('history', 'replaceState')
            hide('customElements', 'get')
            hide('document', 'querySelector')
          },
        },
        'Replace more',
      )
  },
})

/** Resources of another origin, which the console blocks. */
const elsewhere = 'https://elsewhere.example/script.js'

const said = (error: unknown) => (error instanceof Error ? error.name : String(error))
const attempts: Readonly<Record<string, () => unknown>> = {
  fetch: async () => fetch(elsewhere),
  picture: async () => {
    const image = new Image()
    image.src = elsewhere
    await image.decode()
  },
  // oxlint-disable-next-line no-eval -- the attack
  code: () => globalThis.eval('1'),
  client: () => ((client as { call: unknown }).call = broken),
  cookie: () => {
    if (!document.cookie.includes('pergola-session')) throw new Error('not readable')
  },
  settings: () => client.call({ method: 'GET', path: '/api/v1alpha1/configmaps/settings-of-another' }),
}

/** Tries to leave its frame, and tells what it could do. */
const Reaches = defineComponent({
  setup: () => {
    const style = document.createElement('style')
    style.textContent = 'body { background: red !important }'
    document.head.append(style)
    const results = ref<readonly string[]>([])
    for (const [name, attempt] of Object.entries(attempts)) {
      const tell = (result: string) => (results.value = [...results.value, `${name}: ${result}`])
      void (async () => attempt())().then(
        () => tell('done'),
        (error: unknown) => tell(said(error)),
      )
    }
    return () =>
      h(
        'ul',
        { 'aria-label': 'Attempts' },
        results.value.toSorted().map((one) => h('li', one)),
      )
  },
})

// oxlint-disable-next-line import/no-default-export -- the console requires it
export default definePages({
  '': Throws,
  later: ThrowsLater,
  patches: Patches,
  reaches: Reaches,
  never: () => new Promise(() => {}),
  elsewhere: () => import(/* @vite-ignore */ elsewhere),
})
