import { InvalidArgumentError, Option } from 'commander'

/** Forms that take a value behind `=`. */
type ValueForm = 'csv' | 'columns' | 'jsonpath'
export type Output = 'table' | 'wide' | 'yaml' | 'json' | 'ndjson' | 'csv' | 'name' | `${ValueForm}=${string}`

/** The option `-o`; the first format is the default. A form that ends with `=` takes a value. */
export function outputOption(forms: readonly [Output, ...Output[]]): Option {
  const isKnown = (text: string) => forms.some((form) => text === form || (form.endsWith('=') && text.startsWith(form)))
  return new Option('-o, --output <form>', 'output format')
    .choices(forms)
    .argParser((text) => {
      if (isKnown(text) && !forms.some((form) => form.endsWith('=') && text === form)) return text
      throw new InvalidArgumentError(`Allowed choices are ${forms.map(shown).join(', ')}.`)
    })
    .default(forms[0])
}

/** The forms of commands that print objects; `-o csv=` and the others take paths of fields. */
export const objectForms = ['wide', 'ndjson', 'csv', 'csv=', 'columns=', 'jsonpath='] as const

function shown(form: string): string {
  return form.endsWith('=') ? `${form}<paths>` : form
}
