/** Prefixes of our secrets: `pgl_` a token, `pgs_` a session, `pgi_` a setup. */
const secret = /pg[a-z]_[\w-]{16,}/g
const sessionId = /(\/auth\/sessions\/)(?!-$).+/

/**
 * The path of a target for a log: without the query, where people put secrets, and without our own secrets and session ids.
 */
export function shownPath(target: string): string {
  const query = target.search(/[?#]/)
  const path = query < 0 ? target : target.slice(0, query)
  return withoutSecrets(path.replace(sessionId, '$1…'))
}

export function withoutSecrets(text: string): string {
  return mayHoldSecret(text) ? text.replaceAll(secret, '…') : text
}

/** A fast pre-check. */
export function mayHoldSecret(text: string): boolean {
  return text.includes('pg')
}
