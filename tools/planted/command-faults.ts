import type { Edit, PlantedFault } from './planted-fault.ts'

const unit = (file: string) => `TEST_ENGINE=SQLite npm test -- --project unit packages/cli/src/${file}.test.ts`
const source = 'packages/cli/src'

type Row = readonly [what: string, command: string, edit: Edit, expect: RegExp]

/** Faults that make the command leak, lose or damage data. */
const faults: readonly Row[] = [
  [
    'everybody on the machine can read what a login leaves',
    unit('server/servers-file'),
    { file: `${source}/server/servers-file.ts`, replace: 'mode: 0o600, ', by: 'mode: 0o644, ' },
    /FAIL.*is written atomically, readable only by its owner/,
  ],
  [
    'a name that begins like this machine passes for it',
    unit('server/server-url'),
    {
      file: `${source}/server/server-url.ts`,
      replace: String.raw`/^127(\.\d+){3}$/`,
      by: String.raw`/^127\./`,
    },
    /FAIL.*http:\/\/127\.0\.0\.1\.example\.com/,
  ],
  [
    'a plugin takes a name of the host',
    unit('server/resources'),
    {
      file: `${source}/server/resources.ts`,
      replace: 'return core.length === 1 ? core : found',
      by: 'return found',
    },
    /FAIL.*a core name, even if a plugin has the same/,
  ],
  [
    'what is applied takes finalizers away that it does not speak of',
    unit('objects/desired-object'),
    {
      file: `${source}/objects/desired-object.ts`,
      replace: "['labels', 'annotations', 'finalizers']",
      by: "['labels', 'annotations']",
    },
    /FAIL.*keeps metadata that the file omits/,
  ],
  [
    'what is applied overwrites what its writer has not read',
    unit('objects/desired-object'),
    {
      file: `${source}/objects/desired-object.ts`,
      replace: "metadata['version'] ?? version",
      by: 'version',
    },
    /FAIL.*uses the version and uid of the file/,
  ],
  [
    'a text of an object moves the cursor',
    unit('objects/list-columns'),
    {
      file: `${source}/terminal/visible.ts`,
      replace: String.raw`/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu`,
      by: String.raw`/[\p{Zl}\p{Zp}]/gu`,
    },
    /FAIL.*of control characters, escaped/,
  ],
  [
    'a list is read faster than it is shown',
    unit('terminal/terminal'),
    {
      file: `${source}/terminal/terminal.ts`,
      replace: "if (!stdout.write(text)) await once(stdout, 'drain')",
      by: 'stdout.write(text)',
    },
    /FAIL.*a write waits until the stream drains/,
  ],
]

export const commandFaults: readonly PlantedFault[] = faults.map(([name, command, edit, expect]) => ({
  name,
  command,
  edits: [edit],
  expect,
}))
