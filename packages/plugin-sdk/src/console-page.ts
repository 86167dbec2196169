import type { RoleTemplate } from './role-template.ts'

/** Titles by the languages of the console. Languages without one show the English title. */
export interface PageTitles {
  readonly en: string
  readonly zh?: string
}

/**
 * A page in the console, at `/console/p/<plugin>/<path>`. Its component is in `src/ui/index.ts`, under the same path; the code
 * is loaded when somebody opens one of the plugin's pages.
 */
export interface ConsolePage {
  /** Empty for the first page; segments may be parameters: `boards/:name`. */
  readonly path: string
  /** One for all languages, or one each: `{ en: 'Open todos', zh: '待办' }`. */
  readonly title: string | PageTitles
  /** Whoever holds this template sees the page; without it, everybody who is signed in does. */
  readonly allow?: RoleTemplate
  /** UI permissions by name, in addition to `allow`; a user needs all of them. */
  readonly meta?: { readonly permissions: readonly string[] }
  /** Whether the page has a menu entry; default true, unless the path has parameters. */
  readonly inMenu?: boolean
}
