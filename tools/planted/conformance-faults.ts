import { accessFaults } from './access-faults.ts'
import { apiFaults } from './api-faults.ts'
import { borderFaults } from './border-faults.ts'
import type { ConformanceFault } from './planted-fault.ts'

/** Faults that the conformance tests must detect. */
export const conformanceFaults: readonly ConformanceFault[] = [...apiFaults, ...accessFaults, ...borderFaults]
