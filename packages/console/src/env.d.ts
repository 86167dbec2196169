import type { Component } from 'vue'

declare module 'vue-router' {
  interface RouteMeta {
    /** UI permissions, all required to see the page and its menu entry. */
    readonly permissions?: readonly string[]
    /** Required right on the API, for pages of the host. */
    readonly needs?: NeededRight
    /** Icon in the menu. */
    readonly icon?: Component
    /** Title of the document. */
    readonly title?: () => string
    /** Whether the page is shown without signing in, without menu. */
    readonly isPublic?: boolean
  }
  interface NeededRight {
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly subresource?: string
  }
}
