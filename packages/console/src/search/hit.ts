import type { Component } from 'vue'
import type { RouteLocationRaw } from 'vue-router'
import type { Hue } from '../kit/hue.ts'

/** A search result: a page to open or an action to run. */
export interface Hit {
  readonly key: string
  readonly title: string
  /** Shown behind the title: its kind or its plugin. */
  readonly hint: string
  readonly act: RouteLocationRaw | (() => void)
  readonly icon?: Component | undefined
  /** Keys that do the same, separated by spaces. */
  readonly keys?: string | undefined
  /** An object shows the icon of its model. */
  readonly tile?: Hue | undefined
  /** For users: initials instead of an icon. */
  readonly isPerson?: boolean
  /** State of the object. */
  readonly pill?: { readonly text: string; readonly hue: Hue } | undefined
}

export interface HitGroup {
  readonly heading: string
  readonly hits: readonly Hit[]
}
