import { isApiError } from '@pergola/api'
import { indexedObject } from '../indexed-object.ts'
import type { Model } from '../model.ts'
import { fromData, toData } from '../object-bytes.ts'
import { allObjects } from '../../store/all-objects.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Store, StoredObject } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import type { SecretSealing } from './secret-sealing.ts'

/** Secrets between two progress reports. */
const tellEvery = 100

export interface RotatedSecrets {
  /** Secrets newly sealed with the first key. */
  readonly sealed: number
  /** Secrets already sealed with the first key. */
  readonly unchanged: number
  /** Secrets whose key is missing, with the reason. */
  readonly failed: readonly { readonly name: string; readonly why: string }[]
}

export interface RotationParts {
  readonly store: Store
  readonly secrets: Model
  readonly sealing: SecretSealing
}

/** Re-encrypts secret by secret, page by page, while the host keeps serving. A repeated run skips what is already done. */
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

/** Returns whether the secret had to be sealed again. */
async function reseal({ store, secrets, sealing }: RotationParts, found: StoredObject): Promise<boolean> {
  const { name, uid } = found
  let stored: StoredObject | undefined = found
  const resealOnce = async () => {
    // The secret was deleted or replaced; its writer has sealed the new one.
    if (stored?.uid !== uid) return false
    const { version, storedAs, data } = stored
    const object = sealing.reseal(fromData(data), uid)
    if (!object) return false
    const held = (object.metadata.finalizers ?? []).length > 0
    const { indexed } = indexedObject(secrets, object)
    const content = { data: toData(object), storedAs, held, indexed, edition: secrets.edition }
    const expected = { uid, version }
    await store.write([{ type: 'update', model: secrets, name, expected, content, newGeneration: false }])
    return true
  }
  return retryRaces(resealOnce, (error) => {
    if (!(error instanceof WriteConflict)) return false
    stored = error.stored
    return true
  })
}
