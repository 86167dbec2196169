import type { Configuration } from '../config/read-configuration.ts'
import { databaseChecks } from './check-database.ts'
import { keyCheck } from './check-keys.ts'
import { machineChecks } from './check-machine.ts'
import { providerChecks } from './check-providers.ts'
import { publicUrlCheck } from './check-public-url.ts'
import { tlsChecks } from './check-tls.ts'
import type { Check } from './finding.ts'

/** What can be checked by a configuration without a login, on the machine of a server. */
export function checksOf(configuration: Configuration): readonly Check[] {
  const { config, providers } = configuration
  return [
    ...databaseChecks(config),
    keyCheck(configuration),
    ...machineChecks(configuration),
    ...tlsChecks(configuration),
    publicUrlCheck(config),
    ...providerChecks(providers),
  ]
}
