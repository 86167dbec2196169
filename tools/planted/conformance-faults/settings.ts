import type { ConformanceFault } from '../planted-fault.ts'

const server = 'packages/server/src'
const settings = `${server}/plugins/plugin-settings.ts`
const known = `${server}/plugins/known-plugins.ts`
const files = `${server}/plugins/plugins-from-files.ts`

type Row = readonly [promise: string, what: string, file: string, find: string, replace: string]

const rows: readonly Row[] = [
  ['C8-200', 'a plugin has no settings', `${server}/plugins/plugin-model.ts`, '...(settings && { settings }),', ''],
  [
    'C8-201',
    'settings are not held against their schema',
    settings,
    'const validate = await validatorOf(schema, part)',
    'const validate = async (..._: readonly unknown[]) => []',
  ],
  [
    'C8-202',
    'any settings are taken',
    settings,
    'required: required.filter(isHere),',
    'required: required.filter(isHere),\n    additionalProperties: true,',
  ],
  ['C8-203', 'a secret may stand in the config map', settings, 'if (misplaced.length > 0) return misplaced', ''],
  [
    'C8-204',
    'only updates are checked',
    settings,
    'if (!installed) return []',
    "if (!installed || context.verb !== 'update') return []",
  ],
  ['C8-205', 'defaults are stored', settings, 'validate(structuredClone({ data })', 'validate({ data }'],
  ['C8-206', 'a plugin cannot read its settings', known, "verbs: ['get', 'watch'] },", "verbs: ['watch'] },"],
  ['C8-207', 'a plugin writes its settings', known, "verbs: ['get', 'watch'] },", "verbs: ['*'] },"],
  [
    'C8-208',
    'a plugin without settings takes any',
    settings,
    'if (!installed) return []',
    'if (!installed || !specOf(fromData(installed.data)).settings) return []',
  ],
  [
    'C8-209',
    'what settings look like is not looked at',
    settings,
    'if (schema === undefined) return\n',
    'if (schema !== null) return\n',
  ],
  ['C8-210', 'the folder is not looked at', files, "if (!name.endsWith('.tgz')) continue", "if (name !== '') continue"],
  [
    'C8-211',
    'versions are compared as texts',
    files,
    'compareVersions(version, installed.version) > 0',
    'version > installed.version',
  ],
  [
    'C8-212',
    'the file that fails is not named',
    files,
    "log.error({ file, why: wordsOf(error) }, 'a package",
    "log.error({ why: wordsOf(error) }, 'a package",
  ],
  ['C8-213', 'every package is approved', files, 'files.approve[name] ?? []', "files.approve[name] ?? ['get users']"],
  [
    'C8-214',
    'every plugin runs',
    files,
    '{ ...(spec as PluginSpec), enabled }',
    '{ ...(spec as PluginSpec), enabled: true }',
  ],
  [
    'C8-215',
    'values are taken as they are written',
    `${server}/base/plugin-files-settings.ts`,
    'if (!isValueSource(value)) return value',
    "if (value !== '') return value",
  ],
  [
    'C8-216',
    'settings are made anew',
    files,
    'bodyFor: () => ({ metadata, data })',
    'bodyFor: () => ({ metadata: { ...metadata, annotations: { at: String(Date.now()) } }, data })',
  ],
  [
    'C8-217',
    'what cannot be used is not told',
    files,
    'log.error({ plugin, why: wordsOf(error) },',
    'log.debug({ plugin },',
  ],
]

/** What the host promises of the settings of plugins. */
export const settingsFaults: readonly ConformanceFault[] = rows.map(([promise, what, file, find, replace]) => ({
  promise,
  what,
  file,
  find,
  replace,
}))
