import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isApiError, reservedGroupFault, secretSettings, settingsObjectName, type PluginSpec } from '@pergola/api'
import type { Log } from '../../base/log.ts'
import type { GivenSettings, PluginFilesSettings } from '../../config/plugin-files-settings.ts'
import { createObject, type WriteParts } from '../../models/verbs/create.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { updateObject } from '../../models/verbs/update.ts'
import { installedSpec } from './installed-spec.ts'
import { mostPackageBytes, installForHost, readSent, type PluginApiParts, type SentPackage } from './plugin-api.ts'
import { underLease } from '../run/under-lease.ts'
import { compareVersions } from '../package/versions.ts'

const lease = { name: 'plugins from files' }

export interface PluginFilesParts extends WriteParts {
  readonly installing: PluginApiParts
  readonly plugins: Model
  readonly configMaps: Model
  readonly secrets: Model
  readonly files: PluginFilesSettings
  /** Packages shipped with the host. */
  readonly shipped: readonly Buffer[]
  /** Settings, with references to files and variables resolved. */
  readonly given: GivenSettings
  readonly log: Log
}

/** Installs plugins as configured, one replica at a time. Failures are logged and change nothing. */
export async function pluginsFromFiles(parts: PluginFilesParts): Promise<void> {
  const { files, given, shipped } = parts
  const isSaid = [files.enabled, given].some((said) => Object.keys(said).length > 0)
  if (files.directory === undefined && shipped.length === 0 && !isSaid) return
  await underLease(parts.store, lease, async () => {
    for (const bytes of shipped) await placeShipped(parts, await readSent(parts.installing.packages, bytes))
    for (const found of newest(await packagesIn(parts))) await place(parts, found)
    for (const [plugin, values] of Object.entries(given)) await set(parts, plugin, values)
    for (const [plugin, enabled] of Object.entries(files.enabled)) await enable(parts, plugin, enabled)
  })
}

/** Installed at the first start, and disabled until an operator enables it. Shipping with the host counts as approval. */
async function placeShipped(parts: PluginFilesParts, sent: SentPackage): Promise<void> {
  const { log, installing } = parts
  const { name, version } = sent.manifest
  try {
    const installed = await installedSpec(parts, name)
    if (installed && !installed.groups.some((group) => reservedGroupFault(group) !== undefined)) {
      return log.warn({ plugin: name }, 'skipped a plugin shipped with the host: another plugin has its name')
    }
    const isThere = installed && installed.removal !== 'keep' && compareVersions(version, installed.version) <= 0
    if (isThere || installed?.removal === 'purge') return
    await installForHost(installing, sent, { approved: 'everything', enabled: false })
    log.info({ plugin: name, version }, 'a plugin that comes with the host was installed')
  } catch (error) {
    log.error({ plugin: name, version, why: wordsOf(error) }, 'a plugin that comes with the host cannot be installed')
  }
}

interface FoundPackage {
  readonly file: string
  readonly sent: SentPackage
}

async function packagesIn({
  files: { directory },
  installing,
  log,
}: PluginFilesParts): Promise<readonly FoundPackage[]> {
  if (directory === undefined) return []
  if (!existsSync(directory)) {
    log.error({ directory }, 'plugins.directory does not exist; create the folder or remove the setting')
    return []
  }
  const found: FoundPackage[] = []
  for (const name of readdirSync(directory).toSorted()) {
    const file = join(directory, name)
    if (!name.endsWith('.tgz')) continue
    try {
      const { size } = statSync(file)
      if (size > mostPackageBytes) throw new Error(`it has ${size} bytes; a package has at most ${mostPackageBytes}`)
      found.push({ file, sent: await readSent(installing.packages, readFileSync(file)) })
    } catch (error) {
      log.error({ file, why: wordsOf(error) }, 'a package cannot be used')
    }
  }
  return found
}

/** The newest version of every plugin. */
function newest(found: readonly FoundPackage[]): readonly FoundPackage[] {
  const byName = Map.groupBy(found, ({ sent }) => sent.manifest.name)
  return [...byName.values()].flatMap((versions) =>
    versions.toSorted((a, b) => compareVersions(b.sent.manifest.version, a.sent.manifest.version)).slice(0, 1),
  )
}

async function place(parts: PluginFilesParts, { file, sent }: FoundPackage): Promise<void> {
  const { log, files, installing } = parts
  const { name, version } = sent.manifest
  try {
    const installed = await installedSpec(parts, name)
    const isNewer = !installed || compareVersions(version, installed.version) > 0
    const isSame = installed?.version === version && installed.digest !== sent.digest
    if (isSame)
      log.warn(
        { file, plugin: name, version },
        'a package has the same version as the installed plugin but different content; change its version',
      )
    if (!isNewer) return
    const missing = await installForHost(installing, sent, { approved: files.approve[name] ?? [], enabled: true })
    if (missing.length === 0) log.info({ file, plugin: name, version }, 'a plugin was installed from its file')
    else
      log.error({ file, plugin: name, add: { plugins: { approve: { [name]: missing } } } }, unapproved(name, missing))
  } catch (error) {
    log.error({ file, plugin: name, version, why: wordsOf(error) }, 'a plugin could not be installed from its file')
  }
}

function unapproved(name: string, missing: readonly string[]): string {
  const lines = missing.map((approval) => JSON.stringify(approval)).join(', ')
  return `skipped a package that needs approval; to approve it, add to plugins.approve.${name}: [${lines}]`
}

/** Writes the given settings to their objects; skips unchanged ones. */
async function set(parts: PluginFilesParts, plugin: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  const { log, configMaps, secrets } = parts
  const installed = await installedSpec(parts, plugin)
  if (!installed) return log.warn({ plugin }, 'plugins.settings names a plugin that is not installed')
  const sealed = new Set(secretSettings(installed.settings ?? {}))
  const fields = Object.entries(values)
  for (const model of [configMaps, secrets]) {
    const own = fields.filter(([field]) => sealed.has(field) === (model === secrets))
    if (own.length === 0) continue
    try {
      await write(parts, model, { name: settingsObjectName(plugin), data: Object.fromEntries(own) })
    } catch (error) {
      log.error({ plugin, why: wordsOf(error) }, `plugins.settings.${plugin} is not valid; the previous settings stay`)
    }
  }
}

async function write(
  parts: WriteParts,
  model: Model,
  { name, data }: { readonly name: string; readonly data: object },
): Promise<void> {
  const stored = await parts.store.get(model, name)
  if (!stored) await createObject(parts, model, { body: { metadata: { name }, data } })
  else {
    const { metadata } = fromData(stored.data)
    await updateObject(parts, model, { name, bodyFor: () => ({ metadata, data }) })
  }
}

async function enable(parts: PluginFilesParts, plugin: string, enabled: boolean): Promise<void> {
  const { log, plugins } = parts
  const installed = await installedSpec(parts, plugin)
  if (!installed) return log.warn({ plugin }, 'plugins.enabled names a plugin that is not installed')
  if (installed.enabled === enabled) return
  const bodyFor: Parameters<typeof updateObject>[2]['bodyFor'] = ({ data }) => {
    const { metadata, spec } = fromData(data)
    return { metadata, spec: { ...(spec as PluginSpec), enabled } }
  }
  await updateObject(parts, plugins, { name: plugin, bodyFor })
}

function wordsOf(error: unknown): string {
  if (isApiError(error) || error instanceof Error) return error.message
  return String(error)
}
