import type { JsonSchema } from '@pergola/api'
import type { IncomingRequest } from '../call/call.ts'
import { checkedBody, readJson } from './read-json.ts'
import { compileSchema } from './schema-validator.ts'

/** A JSON body of an endpoint; the same schema documents and validates it. */
export interface JsonRequest<Value> {
  readonly types: readonly string[]
  readonly schema: JsonSchema
  /** Fills in defaults; throws `Invalid` with every error of the body. */
  read(request: IncomingRequest): Promise<Value>
  /** The same for a value that was read in another way. */
  check(value: unknown): Value
}

/** `what` is for messages: `the login`. */
export function jsonRequest<Value>(
  what: string,
  schema: JsonSchema,
  types: readonly string[] = ['application/json'],
): JsonRequest<Value> {
  const faults = compileSchema(schema)
  return {
    types,
    schema,
    read: async (request) => (await readJson(request, { what, faults, types })) as Value,
    check: (value) => checkedBody(value, { what, faults }) as Value,
  }
}
