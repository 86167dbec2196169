import { ApiError, type RequestInfo } from '@pergola/api'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../call/call.ts'
import type { Origins } from '../base/origins.ts'

const unsafe = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

interface Sent {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
}

interface Sites {
  readonly publicUrl: string
  /** Another address of our own pages. */
  readonly alsoOwn?: string | undefined
  /** Origins whose pages may call, but not with a cookie. */
  readonly listedOrigins: Origins
}

/**
 * Prevents CSRF. A browser sends its cookie with requests from any page, so changes and streams with a cookie must come from
 * our own pages. So must every change under `/auth/`, which may set a cookie. Pages of a listed origin can read our answers, so
 * from them every request with a cookie is refused.
 */
export function refuseCrossSite({ info, caller, headers }: Sent, { publicUrl, alsoOwn, listedOrigins }: Sites): void {
  const byCookie = caller.kind === 'user' && caller.via === 'cookie'
  const isUnsafe = unsafe.has(info.verb)
  const isWatch = info.verb === 'watch'
  const isListed = byCookie && listedOrigins.has(headers.origin ?? '')
  const needed = byCookie ? isUnsafe || isWatch : isUnsafe && info.path.startsWith('/auth/')
  if ((!needed && !isListed) || headers['sec-fetch-site'] === 'same-origin') return
  const ours = publicUrl.replace(/\/$/, '')
  if (alsoOwn !== undefined && headers.origin === alsoOwn) return
  if (headers.origin === ours) return
  throw new ApiError(
    'CrossSite',
    `this request must come from ${ours}: send "Origin: ${ours}", or a bearer token instead of a cookie`,
  )
}
