import type { PluginAbout } from '@pergola/api'

/** What the author says about a plugin; nobody has checked it. */
export function aboutWords({ description, author, license, homepage }: PluginAbout): readonly string[] {
  const by = author === undefined ? undefined : `by ${author}`
  return [description, by, license, homepage].filter((words) => words !== undefined)
}
