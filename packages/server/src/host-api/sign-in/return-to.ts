import { ApiError } from '@pergola/api'

const longest = 2_000

/** Where a browser goes after signing in: only a path of this host, to prevent an open redirect. */
export function readReturnTo(query: URLSearchParams, publicUrl: string): string {
  const wanted = query.get('returnTo') ?? '/'
  const { origin } = new URL(publicUrl)
  const url = wanted.startsWith('/') && wanted.length <= longest ? URL.parse(wanted, origin) : null
  // "/.//elsewhere" is read as the path "//elsewhere", which a browser then reads as another host.
  if (url?.origin !== origin || url.pathname.startsWith('//')) {
    throw new ApiError(
      'BadRequest',
      `returnTo must be a path of ${origin}, such as /console, of at most ${longest} characters`,
    )
  }
  return url.pathname + url.search + url.hash
}
