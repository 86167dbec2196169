import { createHash } from 'node:crypto'

/** Headers of the host's own pages: no content but what these directives allow, and no framing. */
export function pageHeaders(...allowed: readonly string[]): Readonly<Record<string, string>> {
  const policy = ["default-src 'none'", ...allowed, "base-uri 'none'", "frame-ancestors 'none'"]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
}

/** Names an inline script or style in a policy. */
export function inlineSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
