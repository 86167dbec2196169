import { renderSections, sectionOf, type Plan, type PluginAbout } from '@pergola/api'

/** What the author says about a plugin; nobody has checked it. */
export function aboutWords({ description, author, license, homepage }: PluginAbout): readonly string[] {
  const by = author === undefined ? undefined : `by ${author}`
  return [description, by, license, homepage].filter((words) => words !== undefined)
}

/** The package of an installation; an upgrade lists what changes in it. */
export function aboutLines({ plugin, from }: Plan): readonly string[] {
  const words = from === undefined ? aboutWords(plugin) : []
  return words.length === 0 ? [] : [renderSections(sectionOf('about', words))]
}
