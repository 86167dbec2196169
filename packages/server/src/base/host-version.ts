import { readFileSync } from 'node:fs'

/** The version of this host, which plugins name in `requires`. */
export const hostVersion = versionIn(new URL('../../package.json', import.meta.url))

function versionIn(file: URL): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
