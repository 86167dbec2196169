import type { Component } from 'vue'
import type PermissionGate from './session/permission-gate.vue'

declare module 'vue' {
  /** There without an import, for the pages of plugins as well. */
  interface GlobalComponents {
    PermissionGate: typeof PermissionGate
  }
}

declare module 'vue-router' {
  interface RouteMeta {
    /** UI permissions, all of which it takes to see the page and its entry in the menu. */
    readonly permissions?: readonly string[]
    /** The same by a right on the API, for pages of the host itself. */
    readonly needs?: NeededRight
    /** In the menu. */
    readonly icon?: Component
    /** Of the page, in the title bar of the browser. */
    readonly title?: () => string
    /** Whether it is shown to who is not signed in, alone on the screen. */
    readonly isOpen?: boolean
  }
  interface NeededRight {
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly subresource?: string
  }
}
