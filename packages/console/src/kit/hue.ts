import type { DisplayHue } from '@pergola/api'

export type Hue = DisplayHue
/** The hues of some values of an enum. */
export type Tones = Readonly<Record<string, Hue | undefined>>

/** Grey says "none", red and green say something: names get the others. */
const forNames: readonly Hue[] = ['teal', 'blue', 'violet', 'pink', 'amber', 'green']

/** Always the same for a name. */
export function hueOfName(name: string): Hue {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return forNames[sum % forNames.length] ?? 'grey'
}

/** Of the values of an enum without tones: by their order. */
const forValues: readonly Hue[] = ['grey', 'blue', 'violet', 'amber', 'teal', 'pink', 'green', 'red']

export function hueOfValue(value: string, values: readonly unknown[], tones: Tones = {}): Hue {
  const said = tones[value]
  if (said !== undefined) return said
  const at = values.indexOf(value)
  return at < 0 ? 'grey' : (forValues[at % forValues.length] ?? 'grey')
}
