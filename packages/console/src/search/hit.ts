import type { RouteLocationRaw } from 'vue-router'

/** A line of the search: a place to go to, or something to do. */
export interface Hit {
  readonly key: string
  readonly title: string
  /** What it is or where it belongs, shown behind the title. */
  readonly hint: string
  readonly act: RouteLocationRaw | (() => void)
}

export interface HitGroup {
  readonly heading: string
  readonly hits: readonly Hit[]
}
