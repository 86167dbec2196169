import type { FieldError } from '@pergola/api'
import type { IncomingRequest } from '../base/call.ts'
import { fieldError } from '../base/field-error.ts'
import { parseJsonBody } from './json-body.ts'
import { refuseBody } from './refuse-body.ts'

/** More than any body has that is no object of a model. */
const maxBytes = 256 * 1024

export interface ExpectedBody {
  /** For the message: `the login`. */
  readonly what: string
  readonly faults: (value: unknown) => readonly FieldError[]
  /** Media types that are accepted; JSON unless it is said. */
  readonly types?: readonly string[]
}

/** A body that is no object of a model, found sound. */
export async function readJson(
  request: IncomingRequest,
  { what, faults, types = ['application/json'] }: ExpectedBody,
): Promise<unknown> {
  const { value } = parseJsonBody(request.headers['content-type'], await request.readBody(maxBytes), types)
  return checkedBody(value, { what, faults })
}

/** A value that was read, found sound. */
export function checkedBody(value: unknown, { what, faults }: Omit<ExpectedBody, 'types'>): unknown {
  refuseBody(what, faults(value))
  // A database may know no text that has one.
  if (JSON.stringify(value).includes(String.raw`\u0000`)) {
    refuseBody(what, [fieldError('', 'nul', 'has a NUL character in a text')])
  }
  return value
}
