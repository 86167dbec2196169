import { Option } from 'commander'

export function configOption(): Option {
  return new Option('-c, --config <file>', 'configuration file (default: pergola.yaml, when it is there)')
}

export function configOf({ config }: { readonly config?: string }): { readonly configFile?: string } {
  return config === undefined ? {} : { configFile: config }
}
