import { Option } from 'commander'

export type Output = 'table' | 'yaml' | 'json' | 'name'

/** `-o`: how something is shown; the first form unless it is said. */
export function outputOption(forms: readonly [Output, ...Output[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0])
}
