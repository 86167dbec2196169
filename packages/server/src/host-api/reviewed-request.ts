import { verbs, type RequestInfo } from '@pergola/api'

const text = { type: 'string', minLength: 1, maxLength: 253 }
const verb = { enum: [...verbs] }

/** A request as named in a review: for a resource, or for any other path. */
const reviewedRequest = {
  type: 'object',
  required: ['verb'],
  oneOf: [
    {
      required: ['resource'],
      properties: {
        verb,
        group: { type: 'string', maxLength: 253 },
        resource: text,
        subresource: text,
        name: text,
      },
      additionalProperties: false,
    },
    {
      required: ['path'],
      properties: { verb, path: { type: 'string', pattern: '^/', maxLength: 2_000 } },
      additionalProperties: false,
    },
  ],
}

/** The requests of one review. */
export const reviewedRequests = { type: 'array', minItems: 1, maxItems: 100, items: reviewedRequest }

export interface ReviewedRequest {
  readonly verb: RequestInfo['verb']
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly path?: string
}

export function toRequestInfo({
  verb: wanted,
  group = '',
  resource,
  path = '',
  ...named
}: ReviewedRequest): RequestInfo {
  if (resource === undefined) return { kind: 'non-resource', verb: wanted, path }
  return { kind: 'resource', verb: wanted, path, group, version: 'v1', resource, ...named }
}
