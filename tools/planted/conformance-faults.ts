import { accessFaults } from './access-faults.ts'
import { apiFaults } from './api-faults.ts'
import { borderFaults } from './border-faults.ts'
import type { ConformanceFault } from './planted-fault.ts'

/** What the conformance tests must see. */
export const conformanceFaults: readonly ConformanceFault[] = [...apiFaults, ...accessFaults, ...borderFaults]
