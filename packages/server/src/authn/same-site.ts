import { ApiError, type RequestInfo } from '@pergola/api'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../base/call.ts'
import type { Origins } from '../base/origins.ts'

const unsafe = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

interface Sent {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
}

interface Sites {
  readonly publicUrl: string
  /** Of other sites, whose pages may call, but not with a cookie. */
  readonly listedOrigins: Origins
}

/**
 * A browser sends its cookie whoever asks it to: what changes something, and what streams, must come from our own pages.
 * So must every change under `/auth/`, where a cookie is about to be set. Pages of a listed origin can read our answers,
 * so for them a cookie is refused whatever they ask for.
 */
export function refuseCrossSite({ info, caller, headers }: Sent, { publicUrl, listedOrigins }: Sites): void {
  const ours = publicUrl.replace(/\/$/, '')
  const byCookie = caller.kind === 'user' && caller.via === 'cookie'
  const isUnsafe = unsafe.has(info.verb)
  const isWatch = info.verb === 'watch'
  const isListed = byCookie && listedOrigins.has(headers.origin ?? '')
  const needed = byCookie ? isUnsafe || isWatch : isUnsafe && info.path.startsWith('/auth/')
  const isFree = !needed && !isListed
  if (isFree || headers['sec-fetch-site'] === 'same-origin' || headers.origin === ours) return
  throw new ApiError(
    'CrossSite',
    `this must come from ${ours}: send "Origin: ${ours}", or a bearer token in place of a cookie`,
  )
}
