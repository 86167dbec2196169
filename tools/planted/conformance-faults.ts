import { accessFaults } from './conformance-faults/access.ts'
import { authorizationFaults } from './conformance-faults/authorization.ts'
import { customApiFaults } from './conformance-faults/custom-apis.ts'
import { definitionFaults } from './conformance-faults/definitions.ts'
import { edgeFaults } from './conformance-faults/edge.ts'
import { errorFaults } from './conformance-faults/errors.ts'
import { listFaults } from './conformance-faults/lists.ts'
import { objectFaults } from './conformance-faults/objects.ts'
import { oidcFaults } from './conformance-faults/oidc.ts'
import { pluginFaults } from './conformance-faults/plugins.ts'
import { versionFaults } from './conformance-faults/versions.ts'
import { requestFaults } from './conformance-faults/requests.ts'
import { roleFaults } from './conformance-faults/roles.ts'
import { secretFaults } from './conformance-faults/secrets.ts'
import { settingsFaults } from './conformance-faults/settings.ts'
import { shippedFaults } from './conformance-faults/shipped.ts'
import { specificationFaults } from './conformance-faults/specification.ts'
import { watchFaults } from './conformance-faults/watch.ts'
import { writeFaults } from './conformance-faults/writes.ts'
import type { ConformanceFault } from './planted-fault.ts'

/** What the conformance tests must see, in the order of the promises. */
export const conformanceFaults: readonly ConformanceFault[] = [
  ...specificationFaults,
  ...requestFaults,
  ...objectFaults,
  ...writeFaults,
  ...listFaults,
  ...definitionFaults,
  ...errorFaults,
  ...watchFaults,
  ...accessFaults,
  ...edgeFaults,
  ...roleFaults,
  ...authorizationFaults,
  ...oidcFaults,
  ...pluginFaults,
  ...customApiFaults,
  ...versionFaults,
  ...settingsFaults,
  ...shippedFaults,
  ...secretFaults,
]
