import {
  deleteOtherPackages,
  deletePackage,
  insertPackage,
  readPackageBytes,
} from '../../store/records/plugin-packages.ts'
import type { Store } from '../../store/store.ts'
import type { PackageReader, PluginPackage } from './read-package.ts'

/** The packages of plugins, by digest. */
export interface Packages {
  /** Does nothing when the package exists. */
  keep(digest: string, bytes: Buffer): Promise<void>
  read(digest: string): Promise<Buffer | undefined>
  /** The content of a package, stored or sent; throws `PackageFault`. */
  unpack(bytes: Buffer): Promise<PluginPackage>
  /** Does nothing when the package does not exist. */
  forget(digest: string): Promise<void>
  /** Call it only when no installation is in progress: a new package is stored before anything refers to it. */
  forgetOthers(digests: ReadonlySet<string>): Promise<void>
}

export function createPackages(store: Store, reader: Pick<PackageReader, 'read'>): Packages {
  return {
    unpack: (bytes) => reader.read(bytes),
    keep: (digest, bytes) => insertPackage(store, digest, bytes),
    read: (digest) => readPackageBytes(store, digest),
    forget: async (digest) => {
      await store.write([], { also: [deletePackage(digest)] })
    },
    forgetOthers: (digests) => deleteOtherPackages(store, digests),
  }
}
