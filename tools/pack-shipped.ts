import { globSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { packPlugin } from '../packages/cli/src/plugin/pack.ts'

/**
 * Packs the bundled plugins into the folder of the server and records their digests.
 * A server that starts meanwhile finds the earlier packages, or none.
 */
const folder = 'packages/server/shipped'
const next = `${folder}.next`

rmSync(next, { recursive: true, force: true })
const digests: Record<string, string> = {}
for (const project of globSync('plugins/*/package.json').toSorted()) {
  const { file, digest } = await packPlugin({ folder: dirname(project), out: resolve(next), comesWithHost: true })
  digests[basename(file)] = digest
}
writeFileSync(`${next}/digests.json`, `${JSON.stringify(digests, undefined, 2)}\n`)
rmSync(folder, { recursive: true, force: true })
renameSync(next, folder)
