import type { ConformanceFault } from '../planted-fault.ts'

const server = 'packages/server/src'
const sealing = `${server}/models/secrets/secret-sealing.ts`
const model = `${server}/models/secrets/secret-model.ts`
const maps = `${server}/models/secrets/config-map-model.ts`
const bytes = `${server}/models/object-bytes.ts`

type Row = readonly [promise: string, what: string, file: string, find: string, replace: string]

const rows: readonly Row[] = [
  ['C1-39', 'secrets are called otherwise', model, "plural: 'secrets'", "plural: 'sealedsecrets'"],
  [
    'C9-209',
    'what is unavailable is a conflict',
    sealing,
    "    'Unavailable',\n    `the value",
    "    'VersionConflict',\n    `the value",
  ],
  [
    'C9-200',
    'a secret holds any values',
    model,
    "additionalProperties: { type: 'string' }",
    'additionalProperties: true',
  ],
  ['C9-201', 'data has any names', maps, '[-._A-Za-z0-9]{1,253}', '[^/]{0,300}'],
  [
    'C9-202',
    'secrets are stored as they are sent',
    `${server}/models/create.ts`,
    'contentOf(model, sealedAs(uid), indexed)',
    'contentOf(model, uid ? object : sealedAs(uid), indexed)',
  ],
  [
    'C9-203',
    'a list shows what is stored',
    bytes,
    'return sealing ? toData(sealing.withhold(fromData(data))) : data',
    'return sealing === undefined ? data : data',
  ],
  [
    'C9-204',
    'an answer shows what is sent',
    `${server}/models/answers.ts`,
    'jsonAnswer(201, toBytes(model, created), headers)',
    'jsonAnswer(201, openedBytes(model, created), headers)',
  ],
  [
    'C9-205',
    'an update without data removes it',
    model,
    "withMap({ ...object, data: stored['data'] })",
    'withMap(object)',
  ],
  ['C9-206', 'a patch may read', `${server}/models/patch.ts`, 'if (sealing && type', 'if (!sealing && type'],
  ['C9-207', 'every update seals anew', model, 'return isReader ?', 'return !isReader ?'],
  ['C9-208', 'only the first key opens', sealing, 'new Map(keys.map(', 'new Map(keys.slice(0, 1).map('],
  [
    'C9-209',
    'whoever lists reads',
    bytes,
    'sealing.withhold(fromData(data))',
    "sealing.withhold(sealing.open(fromData(data), ''))",
  ],
  [
    'C9-210',
    'without a key nothing is sealed',
    sealing,
    '        if (!first) throw noKey()\n        return sealText(value',
    '        if (!first) return value\n        return sealText(value',
  ],
]

/** What the host promises of config maps and secrets. */
export const secretFaults: readonly ConformanceFault[] = rows.map(([promise, what, file, find, replace]) => ({
  promise,
  what,
  file,
  find,
  replace,
}))
