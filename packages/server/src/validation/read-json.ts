import type { FieldError } from '@pergola/api'
import type { IncomingRequest } from '../call/call.ts'
import { fieldError } from '../call/field-error.ts'
import { parseJsonBody } from './json-body.ts'
import { refuseBody } from './refuse-body.ts'

/** More than any body that is not an object of a model. */
export const maxBytes = 256 * 1024

export interface ExpectedBody {
  /** For the message: `the login`. */
  readonly what: string
  readonly faults: (value: unknown) => readonly FieldError[]
  /** Accepted media types; JSON by default. */
  readonly types?: readonly string[]
}

/** Reads and validates a body that is not an object of a model. */
export async function readJson(
  request: IncomingRequest,
  { what, faults, types = ['application/json'] }: ExpectedBody,
): Promise<unknown> {
  const { value } = parseJsonBody(request.headers['content-type'], await request.readBody(maxBytes), { types })
  return checkedBody(value, { what, faults })
}

/** Validates a parsed value. */
export function checkedBody(value: unknown, { what, faults }: Omit<ExpectedBody, 'types'>): unknown {
  refuseBody(what, faults(value))
  // Some databases cannot store a NUL in text.
  if (JSON.stringify(value).includes(String.raw`\u0000`)) {
    refuseBody(what, [fieldError('', 'nul', 'has a NUL character in a text')])
  }
  return value
}
