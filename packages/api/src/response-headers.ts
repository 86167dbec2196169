export const mostNames = 20
const form = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/

/**
 * Headers by which an answer acts on more than itself: on the browser's session, on other pages of the origin, on the
 * connection, or on a proxy.
 */
const harmful = new RegExp(
  `^(${[
    'set-cookie.*|access-control-.*|timing-allow-origin|strict-transport-security|clear-site-data|service-worker-.*|set-login',
    '.*-policy|.*-policy-report-only|x-frame-options|x-content-type-options|x-xss-protection|origin-agent-cluster|sec-.*',
    'speculation-rules|supports-loading-mode|accept-ch|critical-ch|observe-browsing-topics|attribution-.*|activate-.*',
    'report.*|nel|expect-ct|public-key-pins.*|refresh|alt-svc|(x-)?sourcemap|www-authenticate|authentication-.*',
    'origin-trial|idp-.*|use-as-dictionary|x-webkit-csp.*|cookie.*|authorization|remote-user|(x-)?forwarded.*|host',
    'x-original-.*|x-rewrite-.*|x-proxy-.*|x-varnish-.*|edge-.*|cdn-.*',
    'x-accel-.*|x-sendfile.*|x-lighttpd-.*|x-litespeed-.*|x-reproxy-.*|surrogate-.*|proxy-.*|pergola-.*',
    'connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|date|server',
  ].join('|')})$`,
)

/** Why these cannot be the `responseHeaders` of a route; names are lower case. */
export function responseHeadersFault(names: unknown): string | undefined {
  if (!Array.isArray(names) || names.length > mostNames)
    return `has responseHeaders that are no list of at most ${mostNames} names`
  const odd: unknown = names.find((name) => typeof name !== 'string' || !form.test(name))
  if (odd !== undefined) return `names ${JSON.stringify(odd)} in responseHeaders, which is no header name in lower case`
  const refused = (names as readonly string[]).find((name) => harmful.test(name))
  return refused && `names ${refused} in responseHeaders, which only the host may send`
}
