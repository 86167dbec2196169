import { Option } from 'commander'

export type Output = 'table' | 'yaml' | 'json' | 'name'

/** The option `-o`; the first format is the default. */
export function outputOption(forms: readonly [Output, ...Output[]]): Option {
  return new Option('-o, --output <form>', 'output format').choices(forms).default(forms[0])
}
