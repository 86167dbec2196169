import type { PlantedFault } from './planted-fault.ts'

/** Few, but enough to see a lost check. */
const races = 'npm run -s faults -- references --races=600'
const postgresReferences = 'packages/server/src/store/postgres/references.ts'

/** Faults that each gate of the repository must reject. */
export const gateFaults: readonly PlantedFault[] = [
  {
    name: 'a field in the template of a page that the model does not have',
    command: 'npm run -s types:pages',
    edits: [{ file: 'examples/todo/src/ui/open.vue', replace: '{{ spec.title }}', by: '{{ spec.titel }}' }],
    expect: /open\.vue\(\d+,\d+\): error TS/,
  },
  {
    name: 'a property in the page of a new plugin that the part does not have',
    command: 'npm run -s types:pages',
    edits: [
      {
        file: 'packages/create-pergola-plugin/src/plugin-files.ts',
        replace: "    '    can-open',",
        by: '    \'    :where-else="1"\',',
      },
    ],
    expect: /open\.vue\(\d+,\d+\): error TS/,
  },
  {
    name: 'an import that points back up the line',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/server/src/store/page.ts', add: "export { createModel } from '../models/model.ts'" }],
    expect: /server-store/,
  },
  {
    name: 'a cycle between two files that may import each other',
    command: 'npm run -s lint:layers',
    edits: [
      { file: 'packages/server/src/base/clock.ts', add: "export { uuidv7 } from './uuid.ts'" },
      { file: 'packages/server/src/base/uuid.ts', add: "export { systemClock } from './clock.ts'" },
    ],
    expect: /no-cycles/,
  },
  {
    name: 'a folder that the table does not know',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/server/src/extra/thing.ts', add: "export { systemClock } from '../base/clock.ts'" }],
    expect: /server-folder-unlisted/,
  },
  {
    name: 'a server folder that may import more than five others',
    command: 'npm run -s lint:layers',
    edits: [
      {
        file: 'tools/layers/layers.ts',
        replace: "mayImport: ['access', 'feed', 'models', 'validation', 'store']",
        by: "mayImport: ['access', 'feed', 'watch', 'models', 'validation', 'store']",
      },
    ],
    expect: /import 6 other folders; the limit is 5/,
  },
  {
    name: 'a package that the table does not know',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/extra/src/thing.ts', add: "export { problems } from '../../api/src/problem.ts'" }],
    expect: /package-unlisted/,
  },
  {
    name: 'a library used outside its door',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/server/src/models/verbs/get.ts', add: "export { Pool } from 'pg'" }],
    expect: /sealed-pg/,
  },
  {
    name: 'SQL outside the store',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/server/src/models/verbs/get.ts', add: "export { statement } from '../../store/sql.ts'" }],
    expect: /sql-inside-the-store/,
  },
  {
    name: 'a client that only Node.js could load',
    command: 'npm run -s lint:layers',
    edits: [{ file: 'packages/client/src/path.ts', add: "export { join as joined } from 'node:path'" }],
    expect: /client-is-for-browsers/,
  },
  {
    name: 'a client that uses what browsers do not have',
    command: 'npm run -s build',
    edits: [{ file: 'packages/client/src/path.ts', add: 'export const planted = process.pid' }],
    expect: /process/,
  },
  {
    name: 'a promise that nobody waits for',
    // Type rules read the types of built packages.
    command: 'node node_modules/typescript7/bin/tsc -b && npm run -s lint',
    edits: [
      {
        file: 'packages/server/src/models/verbs/get.ts',
        replace: 'const stored = await',
        by: 'store.ping()\n  const stored = await',
      },
    ],
    expect: /no-floating-promises/,
  },
  {
    name: 'an export that nobody uses',
    command: 'npm run -s lint:unused',
    edits: [{ file: 'packages/server/src/base/clock.ts', add: 'export const planted = 1' }],
    expect: /planted/,
  },
  {
    name: 'a wrong type',
    command: 'npm run -s build',
    edits: [{ file: 'packages/server/src/base/clock.ts', add: "export const planted: number = 'one'" }],
    expect: /TS2322/,
  },
  {
    name: 'a file that is not formatted',
    command: 'npm run -s format:check',
    edits: [{ file: 'packages/server/src/base/clock.ts', add: 'export   const planted=1;' }],
    expect: /clock\.ts/,
  },
  {
    name: 'a behaviour that a test holds, broken',
    command: 'npm test -- --project unit packages/api',
    edits: [{ file: 'packages/api/src/request-info.ts', replace: "case 'HEAD':", by: "case 'NEVER':" }],
    expect: /HEAD of a collection/,
  },
  {
    name: 'code that no test reaches',
    command:
      'npm run -s test:coverage -- --project unit packages/api/src/selector --coverage.include=packages/api/src/selector.ts',
    edits: [
      {
        file: 'packages/api/src/selector.ts',
        add: `export function untested(a: number): number {\n${'  if (a > 1) a += 1\n'.repeat(60)}  return a\n}`,
      },
    ],
    expect: /does not meet/,
  },
  {
    name: 'a reason that the reference does not list',
    command: 'npm run -s docs:check',
    edits: [
      {
        file: 'packages/api/src/problem.ts',
        replace: '  BadRequest: {',
        by: "  Planted: { status: 400, title: 'Planted' },\n  BadRequest: {",
      },
    ],
    expect: /problems\.md/,
  },
  {
    name: 'a deletion that checks its referrers as of the beginning of its statement',
    command: races,
    edits: [{ file: postgresReferences, replace: 'LANGUAGE plpgsql VOLATILE', by: 'LANGUAGE plpgsql STABLE' }],
    expect: /^dangling: /m,
  },
  {
    name: 'a create that does not lock the objects it refers to',
    command: races,
    edits: [{ file: postgresReferences, replace: 'ORDER BY t.name FOR KEY SHARE${wait}', by: 'ORDER BY t.name' }],
    expect: /^dangling: /m,
  },
  {
    name: 'an update that does not lock the objects it refers to',
    command: races,
    edits: [
      {
        file: 'packages/server/src/store/postgres/write/guards.ts',
        replace: "ORDER BY name FOR KEY SHARE'",
        by: "ORDER BY name'",
      },
    ],
    expect: /^dangling: /m,
  },
  {
    name: 'a promise that no test keeps',
    command: 'npm test -- --project unit tools/conformance',
    edits: [{ file: 'tests/conformance/sentences.md', add: '- **C9-1** Nothing keeps this.' }],
    expect: /C9-1/,
  },
  {
    name: 'a document that names a command which does not exist',
    command: 'npm run -s docs:check',
    edits: [{ file: 'CONTRIBUTING.md', add: 'Run `npm run planted-nowhere`.' }],
    expect: /planted-nowhere/,
  },
  {
    name: 'a place for present objects of which nobody knows what was sent',
    command: 'npm test -- --project end-to-end tests/end-to-end/present-objects.test.ts',
    edits: [{ file: 'packages/server/src/watch/catch-up.ts', replace: 'isThere && isSettled &&', by: 'isThere &&' }],
    expect: /FAIL.*a change on a sent page/,
  },
]
