import { pagePathFault, type PageDeclaration } from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import { uiPermissionsOf } from './declare-roles.ts'
import { about, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'

export function declarePages(plugin: AnyPlugin, report: Report): readonly PageDeclaration[] {
  const { pages = [], roles = [] } = plugin
  return pages.map((page, at) => {
    const { path, title, allow, meta, inMenu } = page
    const where = `pages[${at}]`
    optionFaults('page', page, (fault) => report(where, fault))
    if (meta) optionFaults('meta', meta, (fault) => report(`${where}.meta`, fault))
    report(where, about(path, pagePathFault(path)))
    if (pages.findIndex((other) => other.path === path) < at) report(where, `has the path "${path}" of another page`)
    const { en, ...titles } = typeof title === 'string' ? { en: title } : title
    if (![en, ...Object.values(titles)].every(isTitle)) {
      report(where, "needs a title of 1 to 100 characters, or one for each language: { en: 'Board', zh: '看板' }")
    }
    const unknown = Object.keys(titles).filter((language) => language !== 'zh')
    if (unknown.length > 0) report(where, `has a title in ${unknown.join(', ')}; the console speaks en and zh`)
    if (allow && !roles.includes(allow)) {
      report(where, `names the template "${allow.template}", which is not in roles; add it there`)
    }
    const permissions = [...(allow ? uiPermissionsOf(plugin, allow) : []), ...(meta?.permissions ?? [])]
    return {
      path,
      title: en,
      ...(Object.keys(titles).length > 0 && { titles }),
      ...(permissions.length > 0 && { permissions }),
      ...(inMenu !== undefined && { inMenu }),
    }
  })
}

function isTitle(title: unknown): boolean {
  return typeof title === 'string' && title !== '' && title.length <= 100
}
