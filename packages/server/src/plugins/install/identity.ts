import type { PlanIdentity, PluginAbout } from '@pergola/api'
import { hostVersion } from '../../base/host-version.ts'
import { isInRange } from '../package/versions.ts'

interface Described extends PluginAbout {
  readonly name: string
  readonly version: string
  readonly displayName?: string
  readonly requires?: string
}

interface StoredPackage {
  readonly digest: string
  readonly size: number | undefined
}

/** Identity of the package that a plan describes. */
export function identityOf(
  { name, version, displayName, requires, ...described }: Described,
  { digest, size }: StoredPackage,
): PlanIdentity {
  const { description, author, license, homepage, logo, icon, color } = described
  const about = { displayName, description, author, license, homepage, logo, icon, color, requires }
  const given = Object.fromEntries(Object.entries(about).filter(([, text]) => text !== undefined))
  const isCompatible = requires === undefined || isInRange(hostVersion, requires)
  return {
    name,
    version,
    ...given,
    ...(size !== undefined && { size }),
    digest,
    host: { version: hostVersion, isCompatible },
  }
}
