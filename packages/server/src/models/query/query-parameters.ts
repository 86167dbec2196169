import { ApiError } from '@pergola/api'
import { queryError } from '../../call/field-error.ts'
import type { QueryParameter } from '../../call/host-route.ts'

/** For the host's own endpoints; every write of a generated API takes it too. */
export const dryRunParameter: QueryParameter = {
  name: 'dryRun',
  description: 'Checks everything and stores nothing.',
  schema: { type: 'boolean', default: false },
}

/** The problem of one query parameter; the message follows its name. */
export function queryFault(
  reason: 'BadRequest' | 'InvalidPage' | 'InvalidSelector',
  parameter: string,
  message: string,
): ApiError {
  return new ApiError(reason, `${parameter} ${message}`, { errors: [queryError(parameter, message)] })
}

/** Refuses unknown parameters: a misspelt selector would select everything. */
export function refuseUnknown(query: URLSearchParams, known: readonly string[]): void {
  for (const parameter of query.keys()) {
    if (known.includes(parameter)) continue
    const taken =
      parameter === 'watch'
        ? 'to watch, open a WebSocket at this path, or send Accept: text/event-stream'
        : parameter === 'expand' || parameter === 'referrers'
          ? `only lists with a size accept it; for one object: a list with fieldSelector=metadata.name=x&size=1&${parameter}=…`
          : known.length === 0
            ? 'this endpoint accepts none'
            : `known are ${known.join(', ')}`
    throw new ApiError('BadRequest', `the query parameter "${parameter}" is not known; ${taken}`, {
      errors: [queryError(parameter, `is not known; ${taken}`)],
    })
  }
}

/** A parameter that is `true` or `false`; `false` by default. */
export function flag(query: URLSearchParams, parameter: string): boolean {
  const values = query.getAll(parameter)
  const [value = 'false'] = values
  if (values.length <= 1 && (value === 'true' || value === 'false')) return value === 'true'
  throw queryFault('BadRequest', parameter, `must be true or false; it is "${values.join('", "')}"`)
}
