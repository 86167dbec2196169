/** The value of a cookie, when the header has it. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';') ?? []
  const found = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** How a browser is told to keep a session, by the address that people use. */
export interface SessionCookie {
  readonly name: string
  set(secret: string, maxAgeSeconds: number): string
  readonly cleared: string
}

/** Over https only this very host can set it, and it never travels otherwise; over http that cannot be asked for. */
export function sessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:')
  const name = isSecure ? '__Host-pergola-session' : 'pergola-session'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    name,
    set: (secret, maxAgeSeconds) => `${name}=${secret}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    cleared: `${name}=; ${attributes}; Max-Age=0`,
  }
}
