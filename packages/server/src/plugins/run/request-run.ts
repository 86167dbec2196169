import { randomUUID } from 'node:crypto'
import { ApiError, type PluginSchedule } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeStatus } from '../../models/verbs/write-status.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Store } from '../../store/store.ts'
import { schedulesOf, specOf } from '../plugin-model.ts'
import { withSchedule } from './schedule-api.ts'

/**
 * Requests a run of a schedule before its time: the process that leads it learns of it from the change log of its host. A second
 * request while one is pending changes nothing.
 */
export async function requestRun(
  { store, plugins }: { readonly store: Store; readonly plugins: Model },
  plugin: string,
  schedule: string,
): Promise<PluginSchedule> {
  return retryRaces(async () => {
    const stored = await store.get(plugins, plugin)
    if (!stored) throw objectNotFound('plugin', plugin)
    const object = fromData(stored.data)
    const { enabled, version } = specOf(object)
    const known = schedulesOf(object)
    const found = known.find(({ name }) => name === schedule)
    if (!enabled) throw new ApiError('BadRequest', `${plugin} is disabled, and nothing of it runs; enable it`)
    if (!found) {
      const names = known.map(({ name }) => name).join(', ') || 'none'
      throw new ApiError('BadRequest', `${plugin} ${version} has no schedule "${schedule}"; it has: ${names}`)
    }
    if (found.requested !== undefined) return found
    const requested = { ...found, requested: randomUUID() }
    await writeStatus({ store, model: plugins }, stored, withSchedule(object, requested))
    return requested
  })
}
