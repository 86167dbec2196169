import type { Lineage } from '../history.ts'
import type { Truth } from '../truth.ts'

/** Holds what a reader got against what the log says; answers what is wrong, in words. */
export type Validator = (lineage: Lineage, truth: Truth) => readonly string[]
