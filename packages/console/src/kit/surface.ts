import type * as Promised from '../../kit.d.ts'
import type * as Kit from './index.ts'

/** Fails to compile unless the exports of `kit.d.ts`, which page authors see, equal those of `index.ts`. */
type Missing = Exclude<keyof typeof Promised, keyof typeof Kit>
type Unknown = Exclude<keyof typeof Kit, keyof typeof Promised>
export const complete: [Missing, Unknown] extends [never, never] ? true : [Missing, Unknown] = true

/** Checks the parameters of the functions. */
export const functions: Pick<
  typeof Promised,
  'definePages' | 'holdsAll' | 'tellDone' | 'tellProblem' | 'useLiveList' | 'useWatch'
> = {} as typeof Kit
