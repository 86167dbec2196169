import { usedWrongly } from '../terminal/command-fault.ts'
import { serverUrl } from './server-url.ts'
import { currentServer, type KnownServer, type KnownServers } from './servers-file.ts'

/** The login with this name; throws if there is none. */
export function loginNamed({ servers }: KnownServers, context: string): KnownServer {
  const found = servers.find((one) => one.context === context)
  if (found) return found
  const names = servers.map((one) => one.context)
  throw usedWrongly(`there is no context "${context}"; there are ${names.join(', ') || 'none'}`)
}

/**
 * The login for an address in any form: with or without scheme, with a path of the console behind it. Of several users on
 * that server the default one, otherwise the last one.
 */
export function loginAt(known: KnownServers, address: string): KnownServer | undefined {
  const { servers } = known
  // Accepts plain http, which was confirmed at login.
  const url = serverUrl(address, { insecureHttp: true })
  const isSchemeless = !address.includes('://')
  const matches: readonly ((one: KnownServer) => boolean)[] = [
    (one) => one.url === url,
    (one) => isSchemeless && bare(one.url) === bare(url),
    (one) => `${url}/`.startsWith(`${one.url}/`),
  ]
  for (const isMeant of matches) {
    const current = currentServer(known)
    if (current && isMeant(current)) return current
    const found = servers.findLast(isMeant)
    if (found) return found
  }
  return undefined
}

function bare(url: string): string {
  return url.replace(/^https?:/, '')
}
