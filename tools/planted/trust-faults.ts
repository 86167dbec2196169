import type { Edit, PlantedFault } from './planted-fault.ts'

const cli = 'packages/cli/src'
const feed = 'packages/feed-nats/src'
const unit = (file: string) => `TEST_ENGINE=SQLite npm test -- --project unit ${file}.test.ts`

type Row = readonly [what: string, command: string, edit: Edit, expect: RegExp]

/** Faults outside the authorization of the server that leak a credential or accept data of somebody else. */
const faults: readonly Row[] = [
  [
    'everybody on the machine can read what a login leaves',
    unit(`${cli}/server/servers-file`),
    { file: `${cli}/server/servers-file.ts`, replace: 'mode: 0o600, ', by: 'mode: 0o644, ' },
    /FAIL.*is written atomically, readable only by its owner/,
  ],
  [
    'a name that begins like this machine passes for it',
    unit(`${cli}/server/server-url`),
    { file: `${cli}/server/server-url.ts`, replace: String.raw`/^127(\.\d+){3}$/`, by: String.raw`/^127\./` },
    /FAIL.*http:\/\/127\.0\.0\.1\.example\.com/,
  ],
  [
    'a text of an object moves the cursor',
    unit(`${cli}/objects/list-columns`),
    {
      file: `${cli}/terminal/visible.ts`,
      replace: String.raw`/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu`,
      by: String.raw`/[\p{Zl}\p{Zp}]/gu`,
    },
    /FAIL.*of control characters, escaped/,
  ],
  [
    'people whom somebody else may have written are believed',
    unit(`${cli}/dev/people-file`),
    { file: `${cli}/dev/people-file.ts`, replace: ' && (found.mode & 0o077) === 0', by: '' },
    /FAIL.*a file that others can read/,
  ],
  [
    'tokens of people go to other machines',
    unit(`${cli}/dev/people-file`),
    { file: `${cli}/dev/people-file.ts`, replace: 'here.test(people.url) && ', by: '' },
    /FAIL.*a file that others can read/,
  ],
  [
    'a message of NATS counts without its seal',
    `npm test -- --project unit ${feed}/take.test.ts`,
    { file: `${feed}/message.ts`, replace: 'headerBytes || !seals.isSealed(bytes)', by: 'headerBytes' },
    /with an invalid seal/,
  ],
  [
    'an old answer of NATS proves that nothing has happened since',
    unit(`${feed}/message`),
    {
      file: `${feed}/message.ts`,
      replace: 'nonceBytes).equals(nonce)) return undefined',
      by: 'nonceBytes)) return undefined',
    },
    /the question that it names/,
  ],
]

export const trustFaults: readonly PlantedFault[] = faults.map(([name, command, edit, expect]) => ({
  name,
  command,
  edits: [edit],
  expect,
}))
