import type { Verb } from '@pergola/api'
import type { Handler } from '../base/call.ts'

/** A path that is no resource: who answers which verb there. */
export type Endpoint = Partial<Record<Verb, Handler>>
