import type * as Promised from '../../kit.d.ts'
import type * as Kit from './index.ts'

type Promises = typeof Promised
type Exports = typeof Kit

/** Fails to compile unless the exports of `kit.d.ts`, which page authors see, equal those of `index.ts`. */
type Missing = Exclude<keyof Promises, keyof Exports>
type Unknown = Exclude<keyof Exports, keyof Promises>
export const complete: [Missing, Unknown] extends [never, never] ? true : [Missing, Unknown] = true

type PropsOf<Of> = Of extends new (...all: never[]) => { $props: infer Props } ? Omit<Props, 'onClick'> : never
type Name = keyof Promises
type PartName = {
  [One in Exclude<Name, GenericName>]: Exports[One] extends new (...all: never[]) => object ? One : never
}[Exclude<Name, GenericName>]

/** Parts whose promised properties are not those of the component. */
type Wrong = { [One in PartName]: PropsOf<Promises[One]> extends PropsOf<Exports[One]> ? never : One }[PartName]
export const parts: [Wrong] extends [never] ? true : Wrong = true

/** Components with types of their own cannot be compared. */
type GenericName = 'DataTable' | 'ModelTable' | 'ObjectForm'

/** Checks the parameters of the functions. */
export const functions: Omit<Omit<Promises, PartName>, GenericName> = {} as Exports
