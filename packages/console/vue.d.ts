/** Lets `tsc` import `.vue` files; `vue-tsc` and editors read the files themselves. */
declare module '*.vue' {
  import type { Component } from 'vue'

  const component: Component
  export default component
}
