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

/** Tries to load resources from another origin, which the console blocks. */
const elsewhere = 'https://elsewhere.example/script.js'

// oxlint-disable-next-line import/no-default-export -- the console requires it
export default definePages({
  '': Throws,
  later: ThrowsLater,
  never: () => new Promise(() => {}),
  elsewhere: () => import(/* @vite-ignore */ elsewhere),
})
