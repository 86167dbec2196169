import { ApiError } from '@pergola/api'

export function methodNotAllowed(detail: string, methods: readonly string[]): ApiError {
  const allow = methods.join(', ')
  return new ApiError('MethodNotAllowed', `${detail}; allowed here: ${allow}`, { headers: { allow } })
}
