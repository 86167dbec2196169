import { nearest } from './nearest.ts'

/** Colours of the console. */
export const displayHues = ['grey', 'green', 'teal', 'blue', 'violet', 'pink', 'red', 'amber'] as const
export type DisplayHue = (typeof displayHues)[number]

/** Icons of the console. */
export const displayIcons = [
  ...(['list-todo', 'check-square', 'shopping-cart', 'wallet', 'package', 'receipt', 'newspaper'] as const),
  ...(['book-open', 'file-text', 'files', 'folder', 'tag', 'calendar', 'clock', 'mail', 'message-square'] as const),
  ...(['users', 'user', 'building', 'briefcase', 'truck', 'map-pin', 'phone', 'credit-card', 'chart-bar'] as const),
  ...(['bell', 'star', 'heart', 'flag', 'image', 'camera', 'video', 'music', 'globe', 'link', 'key'] as const),
  ...(['shield', 'settings', 'database', 'server', 'box', 'layers', 'wrench', 'hammer', 'bug'] as const),
  ...(['flask-conical', 'graduation-cap', 'utensils', 'plane', 'ticket', 'puzzle', 'boxes'] as const),
  'sliders-horizontal',
] as const
export type DisplayIcon = (typeof displayIcons)[number]

/** How the value of a field is shown and edited. */
export const displayForms = ['multiline', 'markdown', 'person', 'link', 'currency', 'percent'] as const

export const maxDisplayColumns = 8
/** Characters of a section, a label or a placeholder. */
export const maxDisplayText = 100
export const maxUnitLength = 20
/** Languages of a label. */
export const maxLabels = 20

/** How clients present the objects of a model. It affects neither validation nor rights nor storage. */
export interface ModelDisplay<Path extends string = string> {
  /** Path of the string that people know an object by; by default the first of `defaultTitlePaths`. */
  readonly title?: Path | 'metadata.name'
  /** Path of the value shown below the title. */
  readonly summary?: Path | MetadataPath
  readonly icon?: DisplayIcon
  readonly color?: DisplayHue
  /** Paths of the columns in a table, at most 8; by default the title and the indexed fields. */
  readonly columns?: readonly (Path | MetadataPath)[]
  /** Heading in the menu of the console. */
  readonly section?: string
}

/** Paths besides those of the schema that can be shown. */
export const displayedMetadata = ['metadata.name', 'metadata.creationTimestamp'] as const
type MetadataPath = (typeof displayedMetadata)[number]

/** A model without a `title` shows the first of these that is a string in its schema, and otherwise `metadata.name`. */
export const defaultTitlePaths = ['spec.title', 'spec.displayName', 'spec.name', 'spec.subject'] as const

/** How clients present a field: `x-display` of its schema. */
export interface FieldDisplay<Value extends string | number = string> {
  /** Text at a number. A plain string stands after it. */
  readonly unit?: string | { readonly before: string } | { readonly after: string }
  /** Colours of the values of an enum. */
  readonly tones?: { readonly [Key in `${Value}`]?: DisplayHue }
  readonly as?: (typeof displayForms)[number]
  /** Name of the field by language: `{ en: 'Due date' }`. */
  readonly label?: Readonly<Record<string, string>>
  /** Example shown in an empty input. */
  readonly placeholder?: string
}

/** Reads after the name; undefined for an icon of the console. */
export function iconFault(name: string): string | undefined {
  return choiceFault(name, displayIcons, 'is not an icon of the console')
}

/** Reads after the name; undefined for a colour of the console. */
export function hueFault(name: string): string | undefined {
  return choiceFault(name, displayHues, 'is not a color of the console')
}

/** The fault with the most similar known word, or with all of a few; undefined for a known word. */
export function choiceFault(word: string, known: readonly string[], fault: string): string | undefined {
  if (known.includes(word)) return undefined
  const meant = nearest(word, known)
  if (meant !== undefined) return `${fault}; did you mean ${meant}?`
  return known.length > 10 ? fault : `${fault}; known are ${known.join(', ')}`
}
