import type { Lineage } from '../history.ts'
import type { Truth } from '../truth.ts'

/** Compares the events of a reader with the log; returns descriptions of the faults. */
export type Validator = (lineage: Lineage, truth: Truth) => readonly string[]
