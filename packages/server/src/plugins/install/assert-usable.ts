import { ApiError, isApiError, type ModelDeclaration } from '@pergola/api'
import { circleThrough } from './dependency-circle.ts'
import { installedSpec, type InstalledParts } from './installed-spec.ts'
import { hostFault, type Manifest } from '../package/manifest.ts'
import { PluginFailed } from '../run/not-started.ts'
import { checkModels, type DeclareParts } from '../run/register-models.ts'

type UsableParts = InstalledParts & DeclareParts

/** Whether the package works on this host and with the installed plugins. Nothing of a refused package is stored. */
export async function assertUsable(parts: UsableParts, manifest: Manifest): Promise<void> {
  const fault = hostFault(manifest)
  if (fault !== undefined) throw unusable(new Error(fault), 'plugin.json')
  const { name, definition } = manifest
  await assertGroupsFree(parts, manifest)
  await assertModels(parts, name, definition.models)
  const circle = await circleThrough(name, definition.dependencies, async (other) => {
    const spec = await installedSpec(parts, other)
    return spec?.dependencies
  })
  if (circle) throw unusable(new Error(`${circle.join(' needs ')}: none of them could ever start`), 'plugin.json')
}

const namesDocument = /^((?:src\/main\/resources\/)?extensions\/.+?\.ya?ml)(?:, document (\d+))?/

/** Reports an error in a package as an error of the request that sent it. The message begins with the file. */
export function unusable(error: unknown, usualFile?: string): unknown {
  if (isApiError(error)) return error
  const { message } = error as Error
  const [, file = usualFile, document] = namesDocument.exec(message) ?? []
  const params = { ...(file !== undefined && { file }), ...(document !== undefined && { document: Number(document) }) }
  return new ApiError('Invalid', `the package cannot be used: ${message}`, {
    cause: error,
    errors: [{ field: 'package', rule: 'package', message, params }],
  })
}

/** The database rejects a second claim too; this check names the plugin that has the group, also in a plan. */
async function assertGroupsFree({ store, plugins }: UsableParts, { name, definition }: Manifest): Promise<void> {
  for (const group of definition.groups) {
    const where = [{ field: 'spec.groups', is: { op: '=' as const, value: group } }]
    const { items } = await store.list(plugins, { where, limit: 1, total: 'none' })
    const [holder] = items
    if (!holder || holder.name === name) continue
    const cure = `claim another group, or purge ${holder.name} with its data first`
    throw new ApiError('DuplicateIndexValue', `the group "${group}" belongs to the plugin "${holder.name}"; ${cure}`, {
      params: { group, plugin: holder.name },
    })
  }
}

async function assertModels(parts: UsableParts, plugin: string, models: readonly ModelDeclaration[]): Promise<void> {
  try {
    await checkModels(parts, plugin, models)
  } catch (error) {
    if (!(error instanceof PluginFailed)) throw error
    throw unusable(new Error(`${error.message}; correct the model and pack the plugin again`), 'plugin.json')
  }
}
