import type { Config } from '../config/config.ts'

/** Where a server with this configuration can be reached from its own machine. */
export function ownUrl({ server: { host, port, publicUrl }, tls }: Pick<Config, 'server' | 'tls'>): string {
  // The certificate is for that name.
  if (tls.certFile !== undefined) return publicUrl ?? urlAt(host, port).replace('http:', 'https:')
  const isEverywhere = host === '0.0.0.0' || host === '::'
  return urlAt(isEverywhere ? '127.0.0.1' : host, port)
}

export function urlAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
