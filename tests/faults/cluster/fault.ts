import type { Random } from '../../fuzz/random.ts'
import type { Lineage } from '../watch/history.ts'
import type { Fork } from './fork.ts'
import type { Installation } from './installation.ts'

export interface FaultContext {
  readonly installation: Installation
  readonly random: Random
  /** What readers have noted so far. */
  readonly lineages: Lineage[]
}

/** What a fault did, when it has done it. */
export interface Injected {
  /** From when on it is counted how long everything takes to work again. */
  readonly since: number
  /** What has to be found out and put right once it does. */
  readonly afterwards?: () => Promise<Aftermath>
}

interface Aftermath {
  readonly fork?: Fork
  /** What is not as it should be, in words. */
  readonly violations?: readonly string[]
}

/** Something that goes wrong. */
export interface Fault {
  readonly name: string
  /** From which moment recovery is counted, in words. */
  readonly counted: string
  /** What the machine has to have for it. */
  readonly needs?: string
  /** Whether it can happen there at all. */
  readonly isPossible: (installation: Installation) => boolean
  /** Not yet withstood: it happens to those who name it. */
  readonly onlyNamed?: boolean
  /** Makes two histories of one: once in a round. */
  readonly forks?: boolean
  readonly inject: (context: FaultContext) => Promise<Injected>
}

export const always = (): boolean => true
