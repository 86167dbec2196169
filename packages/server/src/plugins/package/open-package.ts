import type { DeclaredObject } from './declared-object.ts'
import { declaredObjects } from '../run/declared-objects.ts'
import { manifestOf, type Manifest } from './manifest.ts'
import { PluginFailed } from '../run/not-started.ts'
import type { Packages } from './packages.ts'
import type { PluginPackage } from './read-package.ts'
import { PackageFault } from './unpack-archive.ts'

/** A package, with the parts that the host has validated. */
export interface OpenedPackage {
  readonly read: PluginPackage
  readonly manifest: Manifest
  readonly objects: readonly DeclaredObject[]
}

/** Reads a package from the database; throws `PluginFailed` when it is missing or cannot be used. */
export async function openPackage(packages: Packages, digest: string): Promise<OpenedPackage> {
  const bytes = await packages.read(digest)
  if (!bytes) throw new PluginFailed(`its package ${digest} is not in the database; install it again`)
  try {
    const read = await packages.unpack(bytes)
    return { read, manifest: manifestOf(read), objects: declaredObjects(read) }
  } catch (error) {
    throw error instanceof PackageFault ? new PluginFailed(`its package cannot be used: ${error.message}`) : error
  }
}
