import { Option } from 'commander'

export function configOption(): Option {
  return new Option('-c, --config <file>', 'configuration file (default: pergola.yaml, if it exists)')
}

export function configOf({ config }: { readonly config?: string }): { readonly configFile?: string } {
  return config === undefined ? {} : { configFile: config }
}
