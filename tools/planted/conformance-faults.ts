import { accessFaults } from './conformance-faults/access.ts'
import { definitionFaults } from './conformance-faults/definitions.ts'
import { errorFaults } from './conformance-faults/errors.ts'
import { listFaults } from './conformance-faults/lists.ts'
import { objectFaults } from './conformance-faults/objects.ts'
import { requestFaults } from './conformance-faults/requests.ts'
import { specificationFaults } from './conformance-faults/specification.ts'
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
  ...accessFaults,
]
