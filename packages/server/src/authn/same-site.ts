import { ApiError, type RequestInfo } from '@pergola/api'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../base/call.ts'

const unsafe = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

interface Sent {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
}

/**
 * A browser sends its cookie whoever asks it to: what changes something, and what streams, must come from our own pages.
 * So must every change under `/auth/`, where a cookie is about to be set.
 */
export function refuseCrossSite({ info, caller, headers }: Sent, publicUrl: string): void {
  const ours = publicUrl.replace(/\/$/, '')
  const byCookie = caller.kind === 'user' && caller.via === 'cookie'
  const isUnsafe = unsafe.has(info.verb)
  const isWatch = info.verb === 'watch'
  const needed = byCookie ? isUnsafe || isWatch : isUnsafe && info.path.startsWith('/auth/')
  if (!needed || headers['sec-fetch-site'] === 'same-origin' || headers.origin === ours) return
  throw new ApiError(
    'CrossSite',
    `this must come from ${ours}: send "Origin: ${ours}", or a bearer token in place of a cookie`,
  )
}
