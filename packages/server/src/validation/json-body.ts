import { ApiError } from '@pergola/api'

export const maxJsonDepth = 64

/** A request body as JSON; what would be unsafe to walk is refused here, before anything looks at it. */
export function parseJsonBody(contentType: string | undefined, body: Buffer): unknown {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new ApiError('UnsupportedMediaType', `send the body as application/json, not as ${type ?? 'no content type'}`)
  }
  const value = parse(body)
  refuseUnsafe(value)
  return value
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    throw new ApiError('BadRequest', `the body is not JSON: ${why}`, { cause: error })
  }
}

/** Level by level, so that a deep value costs no stack. */
function refuseUnsafe(value: unknown): void {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= maxJsonDepth && level.some(isContainer))
      throw new ApiError('BadRequest', `the body nests deeper than ${maxJsonDepth} levels`)
    level = level.flatMap((item) => {
      if (!isContainer(item)) return []
      if (Object.hasOwn(item, '__proto__')) throw new ApiError('BadRequest', 'the body has a key "__proto__"')
      return Object.values(item)
    })
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
