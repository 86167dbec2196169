import type { Verb } from '@pergola/api'
import type { Handler } from '../base/call.ts'

/** A path that belongs to no model: who answers which verb there. */
export type Endpoint = Partial<Record<Verb, Handler>>
