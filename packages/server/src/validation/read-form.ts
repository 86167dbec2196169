import type { IncomingRequest } from '../call/call.ts'

export const formType = 'application/x-www-form-urlencoded'

/** More than the host's forms ever send. */
export const maxBytes = 16 * 1024

export function isForm({ headers }: IncomingRequest): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === formType
}

/** The fields of a submitted form; of a repeated field, the last value. */
export async function readForm(request: IncomingRequest): Promise<Readonly<Record<string, string>>> {
  const bytes = await request.readBody(maxBytes)
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}
