import type { DisplayHue } from '@pergola/api'

export type Hue = DisplayHue
/** Hues by enum value. */
export type Tones = Readonly<Record<string, Hue | undefined>>

/** Without grey, which means "none", and red, which means an error. */
const forNames: readonly Hue[] = ['teal', 'blue', 'violet', 'pink', 'amber', 'green']

/** The same name always gets the same hue. */
export function hueOfName(name: string): Hue {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return forNames[sum % forNames.length] ?? 'grey'
}

/** For enums without tones, by the value's position. */
const forValues: readonly Hue[] = ['grey', 'blue', 'violet', 'amber', 'teal', 'pink', 'green', 'red']

export function hueOfValue(value: string, values: readonly unknown[], tones: Tones = {}): Hue {
  const said = tones[value]
  if (said !== undefined) return said
  const at = values.indexOf(value)
  return at < 0 ? 'grey' : (forValues[at % forValues.length] ?? 'grey')
}
