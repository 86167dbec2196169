import type { Random } from '../../fuzz/random.ts'
import type { Lineage } from '../watch/history.ts'
import type { Fork } from './fork.ts'
import type { Installation } from './installation.ts'

export interface FaultContext {
  readonly installation: Installation
  readonly random: Random
  /** The events recorded by readers so far. */
  readonly lineages: Lineage[]
}

/** The effect of a fault. */
export interface Injected {
  /** Start of the recovery time. */
  readonly since: number
  /** Checks and repairs after the recovery. */
  readonly afterwards?: () => Promise<Aftermath>
}

interface Aftermath {
  readonly fork?: Fork
  /** Descriptions of the faults found. */
  readonly violations?: readonly string[]
}

/** An injected fault. */
export interface Fault {
  readonly name: string
  /** Description of the start of the recovery time. */
  readonly counted: string
  /** Required tools of the machine. */
  readonly needs?: string
  /** Whether the fault is possible in the installation. */
  readonly isPossible: (installation: Installation) => boolean
  /** Known failure: runs only when named. */
  readonly onlyNamed?: boolean
  /** Forks the history; at most once in a round. */
  readonly forks?: boolean
  readonly inject: (context: FaultContext) => Promise<Injected>
}

export const always = (): boolean => true
