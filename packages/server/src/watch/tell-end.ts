import { ApiError, isApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { bookmarkFrame, errorFrame } from './frames.ts'
import { revisionOf, type Watcher } from './watcher.ts'

/** Sends the last event: the reason, if there is one, and the revision to continue from. */
export function tellEnd(watcher: Watcher, error: unknown, log: Log): void {
  const { wire, request } = watcher
  const revision = watcher.hasPosition ? revisionOf(watcher) : undefined
  if (error === undefined) {
    if (revision !== undefined) wire.send(bookmarkFrame(revision))
    return wire.close()
  }
  const known = isApiError(error) ? error : failure
  if (known === failure) log.error({ err: error, requestId: request.requestId }, 'a watch failed')
  wire.send(errorFrame(known, { ...request, ...(revision !== undefined && { revision }) }))
  wire.close(known.reason)
}

const failure = new ApiError('Internal', 'the server failed; its log has the details under this request id')
