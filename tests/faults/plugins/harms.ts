import { crashes } from './harms/crashes.ts'
import { answers } from './harms/answers.ts'
import { indexBuild } from './harms/index-build.ts'
import type { Harm } from './harms/harm.ts'
import { schemas } from './harms/schemas.ts'
import { upgradeCrash } from './harms/upgrade-crash.ts'

/** All ways in which a plugin can harm its host. */
export const harms: readonly Harm[] = [...crashes, ...answers, ...schemas, indexBuild, upgradeCrash]
