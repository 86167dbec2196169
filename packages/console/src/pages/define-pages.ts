import type { PluginPage, PluginPages } from '../../kit.d.ts'

export type { PluginPage, PluginPages }

export function definePages(pages: PluginPages): PluginPages {
  return pages
}
