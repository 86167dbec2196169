import type { Component } from 'vue'
import type { RouteLocationRaw } from 'vue-router'
import type { Hue } from '../kit/hue.ts'

/** A line of the search: a place to go to, or something to do. */
export interface Hit {
  readonly key: string
  readonly title: string
  /** What it is or where it belongs, shown behind the title. */
  readonly hint: string
  readonly act: RouteLocationRaw | (() => void)
  readonly icon?: Component | undefined
  /** An object has its icon on the colour of its model. */
  readonly tile?: Hue | undefined
  /** Of a person, in place of an icon. */
  readonly isPerson?: boolean
  /** What the object is at. */
  readonly pill?: { readonly text: string; readonly hue: Hue } | undefined
}

export interface HitGroup {
  readonly heading: string
  readonly hits: readonly Hit[]
}
