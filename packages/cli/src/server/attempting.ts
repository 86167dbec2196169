import { isApiError, type ApiError } from '@pergola/api'
import { CommandFault } from '../terminal/command-fault.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { fieldLines } from '../terminal/render-error.ts'
import { visible } from '../terminal/visible.ts'

/** A request, described as for `can-i`. */
export interface Attempt {
  readonly verb: string
  readonly resource: string
  readonly name?: string | undefined
}

/** Runs a request. Adds the next step to errors: how to check rights after a 403, where to sign in after a 401. */
export async function attempting<Got>(attempt: Attempt, work: () => Promise<Got>): Promise<Got> {
  try {
    return await work()
  } catch (error) {
    throw isApiError(error) ? explained(error, attempt) : error
  }
}

function explained(error: ApiError, { verb, resource, name }: Attempt): Error {
  if (error.reason === 'Unauthenticated') {
    const next = 'pergola login <url>'
    return new CommandFault('the session or token is no longer valid', { exitCode: exitCodes.notSignedIn, next })
  }
  if (error.reason === 'NotFound') return new CommandFault(visible(error.message), { next: listOf(resource) })
  if (error.reason !== 'Forbidden') return error
  const asked = ['pergola can-i', verb, resource, ...(name === undefined ? [] : [name])].join(' ')
  return new CommandFault(visible(error.message), { lines: fieldLines(error), next: asked })
}

/** The command that lists existing names. */
function listOf(resource: string): string {
  if (/^plugins(\/|$)/.test(resource)) return 'pergola plugin list'
  return resource === 'users' || resource === 'users/password' ? 'pergola user list' : `pergola list ${resource}`
}
