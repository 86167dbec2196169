import { Option } from 'commander'

export function configOption(): Option {
  return new Option('-c, --config <file>', 'configuration file (default: pergola.yaml, when it is there)')
}
