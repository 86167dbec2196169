/** The value of a cookie, when the header has it. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';') ?? []
  const found = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** A cookie that stores a secret, for the public URL. */
export interface SecretCookie {
  readonly name: string
  set(secret: string, maxAgeSeconds: number): string
  readonly cleared: string
}

export function sessionCookie(publicUrl: string): SecretCookie {
  return secretCookie(publicUrl, 'pergola-session')
}

/** Binds a browser to its login at a provider. */
export function loginCookie(publicUrl: string): SecretCookie {
  return secretCookie(publicUrl, 'pergola-oidc')
}

/**
 * Over https only this host can set the cookie (`__Host-`), and it is never sent unencrypted; over http that is not possible.
 */
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
