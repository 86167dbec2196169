import type { Edit, PlantedFault } from './planted-fault.ts'

const unit = (file: string, titles: string) => `npm test -- --project unit ${file} -t "${titles}"`
const dev = (titles: string) => `npx vitest run --project proofs tests/end-to-end/dev.proof.test.ts -t "${titles}"`
const cli = 'packages/cli/src/dev'
const processes = 'packages/server/src/plugins/process'

type Row = readonly [what: string, command: string, edit: Edit, expect: RegExp]

/** Faults of the development host: lost saves, lost availability, access by others. */
const faults: readonly Row[] = [
  [
    'a save is lost while another is taken over',
    unit(`${cli}/reload-loop.test.ts`, 'during a reload'),
    {
      file: `${cli}/reload-loop.ts`,
      replace: '      running = undefined\n      begin()\n',
      by: '      running = undefined\n',
    },
    /FAIL.*saves during a reload/,
  ],
  [
    'every file that is saved is a reload',
    unit(`${cli}/reload-loop.test.ts`, 'together'),
    {
      file: `${cli}/reload-loop.ts`,
      replace: '      if (running) return\n',
      by: '      begin()\n      if (running) return\n',
    },
    /FAIL.*files saved together/,
  ],
  [
    'what an editor puts in the place of a file is not noticed',
    unit(`${cli}/watch-sources.test.ts`, 'an editor renames'),
    {
      file: `${cli}/watch-sources.ts`,
      replace: 'const changed = differences(known, now)',
      by: 'const changed = differences(known, now).filter((path) => !known.has(path))',
    },
    /FAIL.*an editor renames over the original/,
  ],
  [
    'people whom somebody else may have written are believed',
    unit(`${cli}/people-file.test.ts`, 'others can read'),
    { file: `${cli}/people-file.ts`, replace: ' && (found.mode & 0o077) === 0', by: '' },
    /FAIL.*a file that others can read/,
  ],
  [
    'tokens of people go to other machines',
    unit(`${cli}/people-file.test.ts`, 'others can read'),
    { file: `${cli}/people-file.ts`, replace: 'here.test(people.url) && ', by: '' },
    /FAIL.*a file that others can read/,
  ],
  [
    'a version that answered once is taken for the one that does',
    unit(`${cli}/version-states.test.ts`, 'an earlier version'),
    {
      file: `${cli}/version-states.ts`,
      replace: 'if (known.plugin === plugin) states.delete(other)',
      by: 'if (known.plugin === digest) states.delete(other)',
    },
    /FAIL.*the state of an earlier version/,
  ],
  [
    'a version that is only tried takes the port of the debugger',
    unit(`${processes}/inspector.test.ts`, 'port'),
    { file: `${processes}/inspector.ts`, replace: 'if (!holder) handOn()', by: 'handOn()' },
    /FAIL.*the port passes to the newest/,
  ],
  [
    'a debugger keeps a process that has ended',
    unit(`${processes}/plugin-process.test.ts`, 'though a debugger stays'),
    {
      file: `${processes}/launch.ts`,
      replace: 'options.inspector && hasOnlyDebuggerLeft(line)',
      by: 'options.inspector && hasOnlyDebuggerLeft(`${line}?`) && false',
    },
    /FAIL.*ends when it is let go, though a debugger stays/,
  ],
  [
    'a plugin is ended while somebody looks into it',
    unit(`${processes}/plugin-process.test.ts`, 'may leave health checks unanswered'),
    {
      file: `${processes}/plugin-process.ts`,
      replace: 'options.inspector ? tellSilence(options.onLine) : killSilent(running)',
      by: 'killSilent(running)',
    },
    /FAIL.*may leave health checks unanswered/,
  ],
  [
    'a broken save takes the place of what answers',
    dev('says where|broken saves'),
    {
      file: 'packages/server/src/plugins/install/plugin-api.ts',
      replace: '  if (enabled) return { ...spec, groups, candidate: { ...sent, adds } }\n',
      by: '',
    },
    /FAIL.*goes on answering through broken saves/,
  ],
  [
    'the file of people is everybody’s',
    dev('says where|in a private file'),
    { file: `${cli}/people-file.ts`, replace: '{ mode: 0o600 }', by: '{ mode: 0o644 }' },
    /FAIL.*in a private file/,
  ],
  [
    'pages of other sites are let in where plugins are written',
    dev('says where|pages of this machine'),
    { file: 'packages/server/src/base/origins.ts', replace: 'localhost(:', by: 'localhost.*(:' },
    /FAIL.*lets pages of this machine call/,
  ],
  [
    'the process that answers now has no port for debuggers',
    dev('says where|20 saves in a row'),
    {
      file: `${processes}/inspector.ts`,
      replace: 'if (holder === running) handOn()',
      by: 'if (attended.length === 0) handOn()',
    },
    /FAIL.*20 saves in a row/,
  ],
  [
    'a plugin outlives a host that is killed',
    dev('says where|without anything left'),
    { file: `${processes}/launch.ts`, replace: "'--pdeathsig', 'KILL', ", by: '' },
    /FAIL.*ends without anything left/,
  ],
  [
    'seeds are written at every start',
    dev('says where|without anything left'),
    { file: `${cli}/dev-folder.ts`, replace: 'isSeeded: () => existsSync(files.seeded)', by: 'isSeeded: () => false' },
    /FAIL.*ends without anything left/,
  ],
  [
    'a reset keeps what was there',
    dev('says where|without anything left'),
    { file: `${cli}/dev-folder.ts`, replace: 'for (const file of [database, ', by: 'for (const file of [' },
    /FAIL.*ends without anything left/,
  ],
  [
    'somebody acts as somebody else',
    dev('says where|act as its users'),
    {
      file: 'packages/cli/src/server/development-server.ts',
      replace: 'const token = tokens[person]',
      by: "const token = tokens[person] === undefined ? undefined : tokens['admin']",
    },
    /FAIL.*lets other commands act as its users/,
  ],
]

export const developmentFaults: readonly PlantedFault[] = faults.map(([what, command, edit, expect]) => ({
  name: `in pergola dev, ${what}`,
  command,
  edits: [edit],
  expect,
}))
