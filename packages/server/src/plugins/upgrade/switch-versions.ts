import type { PluginSpec, PluginVersion } from '@pergola/api'
import { deepEqual } from '../../base/deep-equal.ts'
import { modelObjectName } from '../../models/definition/model-object-name.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeTogether, type Wish } from '../../models/batch/write-together.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import {
  checkDeclared,
  isForeign,
  isRole,
  modelOf,
  declaredBodyFor,
  declaredStored,
  type ApplyParts,
} from '../run/declared-objects.ts'
import { pruneDeclared, type PruneParts } from '../run/prune-declared.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { PluginFailed, Superseded } from '../run/not-started.ts'
import type { OpenedPackage } from '../package/open-package.ts'
import { deletePackage } from '../../store/records/plugin-packages.ts'
import { installingCaller, specOf, versionOf } from '../plugin-model.ts'

export interface Versions {
  readonly plugin: InstalledPlugin
  readonly candidate: PluginVersion
  /** Undefined if its package can no longer be read. */
  readonly before: OpenedPackage | undefined
  readonly after: OpenedPackage
}

interface SwitchParts extends ApplyParts, PruneParts {
  readonly definitions: Model
  readonly plugins: Model
}

/**
 * In one transaction: declares the candidate's models, creates its role templates and deletes those it no longer has, makes the
 * candidate the active version, and deletes the package of the version that can no longer be rolled back to. Other objects are applied when it starts: those of its own models by the schema in force
 * then, those of foreign models by the rights that it has then.
 */
export async function switchVersions(parts: SwitchParts, versions: Versions): Promise<void> {
  const { plugin, candidate, before, after } = versions
  const { manifest } = after
  await checkDeclared(parts, manifest, {
    objects: after.objects.filter((object) => isForeign(manifest.definition, object)),
  })
  const former = (before?.objects ?? []).filter((object) => !after.objects.some((other) => isSame(object, other)))
  const { digest, previous } = plugin.spec
  const isOver = previous && previous.digest !== candidate.digest && previous.digest !== digest
  const wishes: readonly Wish[] = [
    ...manifest.definition.models.map((spec): Wish => {
      const name = modelObjectName(spec)
      return { model: parts.definitions, name, declaredBy: plugin.name, bodyFor: () => ({ metadata: {}, spec }) }
    }),
    ...after.objects.filter(isRole).map((object): Wish => {
      const { name, where } = object
      const declaredBy = plugin.name
      const caller = installingCaller(candidate)
      return {
        model: modelOf(parts, manifest, object),
        name,
        where,
        declaredBy,
        caller,
        bodyFor: declaredBodyFor(object, declaredBy),
      }
    }),
    ...(await declaredStored(parts, plugin.name, former.filter(isRole))).map(({ model, object: { name } }) => ({
      model,
      name,
    })),
    { model: parts.plugins, name: plugin.name, bodyFor: (stored) => stored && switched(versions, stored) },
  ]
  await writeTogether(parts, wishes, { also: isOver ? [deletePackage(previous.digest)] : [] })
  await pruneDeclared(
    parts,
    { name: plugin.name, groups: manifest.definition.groups },
    { objects: former.filter((object) => !isRole(object)) },
  )
}

function switched({ plugin, candidate }: Versions, stored: { readonly uid: string; readonly data: Buffer }): object {
  const { candidate: waiting, ...spec } = specOf(fromData(stored.data))
  if (stored.uid !== plugin.uid || waiting?.digest !== candidate.digest) {
    throw new Superseded('its candidate has changed')
  }
  if (!spec.enabled) throw new PluginFailed('the plugin was disabled')
  const { groups, enabled, restarts, limits } = spec
  const next: PluginSpec = {
    ...versionOf(candidate),
    groups,
    enabled,
    previous: versionOf(spec),
    ...(restarts !== undefined && { restarts }),
    ...(limits && { limits }),
  }
  return { metadata: {}, spec: next }
}

function isSame(one: DeclaredObject, other: DeclaredObject): boolean {
  return deepEqual([one.apiVersion, one.kind, one.name], [other.apiVersion, other.kind, other.name])
}
