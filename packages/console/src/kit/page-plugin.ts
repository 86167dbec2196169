import type { DisplayIcon } from '@pergola/api'
import { inject, type InjectionKey } from 'vue'
import type { Hue } from './hue.ts'

export interface PagePlugin {
  readonly name: string
  readonly icon?: DisplayIcon | undefined
  readonly color?: Hue | undefined
}

export const pagePlugin: InjectionKey<PagePlugin> = Symbol('plugin')

/** The plugin whose page is rendered: its styles also reach content outside of the page, such as in dialogs. */
export function usePagePlugin(): PagePlugin | undefined {
  return inject(pagePlugin, undefined)
}
