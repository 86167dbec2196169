import { at, AuthorFault } from '../plugin/author-fault.ts'
import { readExtensions } from '../plugin/read-extensions.ts'
import { HostRefusal, type HostApi } from './host-api.ts'

export const seedFolder = 'seed'

/**
 * Creates the objects of `seed/` that do not exist yet. Returns the number of objects in `seed/`. Reads every file before
 * writing the first object; throws `AuthorFault` with the location of an error.
 */
export async function applySeed(folder: string, api: Pick<HostApi, 'collections' | 'create'>): Promise<number> {
  const objects = readExtensions(folder, [seedFolder]).flatMap((file) => file.objects)
  if (objects.length === 0) return 0
  const collections = await api.collections()
  const faults: string[] = []
  const placed = objects.flatMap((object) => {
    const { apiVersion, kind } = (object.value ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown }
    const path = collections.get(`${String(apiVersion)} ${String(kind)}`)
    if (path !== undefined) return [{ ...object, path }]
    faults.push(at(object.placeOf(['kind']), `there is no ${String(kind)} in ${String(apiVersion)} here`))
    return []
  })
  if (faults.length > 0) throw new AuthorFault(faults)
  for (const { path, value, placeOf } of placed) {
    await api.create(path, value).catch((error: unknown) => {
      if (!(error instanceof HostRefusal)) throw error
      const [first] = error.errors
      const place = placeOf(first?.pointer?.split('/').slice(1) ?? [])
      throw new AuthorFault([at(place, error.message)])
    })
  }
  return placed.length
}
