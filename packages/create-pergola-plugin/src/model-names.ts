/** Names of a model in code, in paths and for people. */
export interface ModelNames {
  readonly kind: string
  readonly plural: string
  /** `Meeting rooms` */
  readonly displayName: string
}

/** Derives the names from the plugin's name: `meeting-room` and `meeting-rooms` both give `MeetingRoom`. */
export function modelNames(plugin: string): ModelNames {
  const words = plugin.split('-').filter((word) => word !== '')
  const singular = [...words.slice(0, -1), singularOf(words.at(-1) ?? '')]
  const plural = [...words.slice(0, -1), pluralOf(singular.at(-1) ?? '')]
  const spoken = plural.join(' ')
  return {
    kind: singular.map(capitalized).join(''),
    plural: plural.join(''),
    displayName: capitalized(spoken),
  }
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function singularOf(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}
