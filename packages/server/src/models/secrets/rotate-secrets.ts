import { isApiError } from '@pergola/api'
import { indexedObject } from '../indexed-object.ts'
import type { Model } from '../model.ts'
import { fromData, toData } from '../object-bytes.ts'
import { allObjects } from '../../store/all-objects.ts'
import type { Store, StoredObject } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import type { SecretSealing } from './secret-sealing.ts'

/** Between two words on how far it is. */
const tellEvery = 100
/** Others may write a secret between our reading and our writing this often. */
const maxTries = 20

export interface RotatedSecrets {
  /** Sealed with the first key now, and not before. */
  readonly sealed: number
  /** That were so already. */
  readonly unchanged: number
  /** Whose key is not there; by name, and why. */
  readonly failed: readonly { readonly name: string; readonly why: string }[]
}

export interface RotationParts {
  readonly store: Store
  readonly secrets: Model
  readonly sealing: SecretSealing
}

/** Page by page, and secret by secret, so that everybody goes on working; done again it goes on where it was. */
export async function rotateSecrets(
  parts: RotationParts,
  onProgress: (progress: RotatedSecrets) => void,
): Promise<RotatedSecrets> {
  const failed: { name: string; why: string }[] = []
  let sealed = 0
  let unchanged = 0
  for await (const stored of allObjects(parts.store, parts.secrets)) {
    try {
      if (await reseal(parts, stored)) sealed++
      else unchanged++
    } catch (error) {
      if (!isApiError(error)) throw error
      failed.push({ name: stored.name, why: error.message })
    }
    if ((sealed + unchanged + failed.length) % tellEvery === 0) onProgress({ sealed, unchanged, failed })
  }
  return { sealed, unchanged, failed }
}

/** Answers whether there was something to do. */
async function reseal({ store, secrets, sealing }: RotationParts, found: StoredObject): Promise<boolean> {
  let stored = found
  for (let tries = 1; ; tries++) {
    const { name, uid, version, storedAs, data } = stored
    const object = sealing.reseal(fromData(data), uid)
    if (!object) return false
    const held = (object.metadata.finalizers ?? []).length > 0
    const { indexed } = indexedObject(secrets, object)
    const content = { data: toData(object), storedAs, held, indexed, edition: secrets.edition }
    const expected = { uid, version }
    try {
      await store.write([{ type: 'update', model: secrets, name, expected, content, newGeneration: false }])
      return true
    } catch (error) {
      if (!(error instanceof WriteConflict) || tries === maxTries) throw error
      // One that is gone, or another of the same name, has been sealed by whoever wrote it.
      if (error.stored?.uid !== uid) return false
      stored = error.stored
    }
  }
}
