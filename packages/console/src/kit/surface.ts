import type * as Promised from '../../kit.d.ts'
import type * as Kit from './index.ts'

/** Fails to compile when the kit lacks something that authors of pages are told of, or has something that they are not. */
type Missing = Exclude<keyof typeof Promised, keyof typeof Kit>
type Unknown = Exclude<keyof typeof Kit, keyof typeof Promised>
export const complete: [Missing, Unknown] extends [never, never] ? true : [Missing, Unknown] = true

/** What is a function has the parameters that are promised. */
export const functions: Pick<
  typeof Promised,
  'definePages' | 'holdsAll' | 'tellDone' | 'tellProblem' | 'useLiveList' | 'useWatch'
> = {} as typeof Kit
