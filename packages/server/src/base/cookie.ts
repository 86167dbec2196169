/** The value of a cookie, when the header has it. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';') ?? []
  const found = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** How a browser is told to keep a secret, by the address that people use. */
export interface SecretCookie {
  readonly name: string
  set(secret: string, maxAgeSeconds: number): string
  readonly cleared: string
}

export function sessionCookie(publicUrl: string): SecretCookie {
  return secretCookie(publicUrl, 'pergola-session')
}

/** Of a browser that is on its way to a provider and back. */
export function loginCookie(publicUrl: string): SecretCookie {
  return secretCookie(publicUrl, 'pergola-oidc')
}

/** Over https only this very host can set it, and it never travels otherwise; over http that cannot be asked for. */
function secretCookie(publicUrl: string, plainName: string): SecretCookie {
  const isSecure = publicUrl.startsWith('https:')
  const name = isSecure ? `__Host-${plainName}` : plainName
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    name,
    set: (secret, maxAgeSeconds) => `${name}=${secret}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    cleared: `${name}=; ${attributes}; Max-Age=0`,
  }
}
