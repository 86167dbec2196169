import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const shared = {
  // Packages are tested from their sources; nothing has to be built first.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
}

/** A minute and more each: whoever begins with them is not left with one of them, and an idle core, at the end. */
const longest =
  /(postgres-store(-pooled)?|administer|dev|graceful-stop|plugin-process|serve|pack|plugin-upgrade|store-checker|cli-codegen)\.test\.ts$/

const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, not of an array
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

// A poll ends as soon as it is met: only what fails takes this long, not what runs beside three servers on two cores.
const patient = { expect: { poll: { timeout: 10_000 } } }

// Property tests take this many times their usual number of cases.
const cases = Number(process.env['CASES'] ?? 1)

export default defineConfig({
  test: {
    globalSetup: 'tests/servers/src/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    // Mostly waiting for databases and sockets: one worker a core, where the default leaves one core idle.
    maxWorkers: '100%',
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // The console is gone through with a browser: `npm run test:console`.
      exclude: ['packages/console/**', '**/*.test.ts', '**/contract/**', '**/*.rows.ts', '**/index.ts'],
      reporter: ['text-summary', 'json-summary'],
      // A failure hides no other.
      reportOnFailure: true,
      thresholds: { statements: 90, branches: 85, functions: 90, lines: 90 },
    },
    projects: [
      {
        ...shared,
        test: {
          ...patient,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'tests/faults/**/*.test.ts'],
          testTimeout: 20_000 * cases,
        },
      },
      // On a test host, whose sources are compiled within the first test.
      {
        ...shared,
        test: { ...patient, name: 'examples', include: ['{examples,plugins}/*/src/**/*.test.ts'], testTimeout: 90_000 },
      },
      {
        ...shared,
        test: { ...patient, name: 'end-to-end', include: ['tests/end-to-end/**/*.test.ts'], testTimeout: 30_000 },
      },
      // Only `npm run conformance` runs these; it also compares them with the list of promises.
      {
        ...shared,
        test: {
          ...patient,
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // Of these, what nobody else goes through counts for coverage, too: signing in by a provider.
      {
        ...shared,
        test: {
          ...patient,
          name: 'providers',
          include: ['tests/conformance/c7-oidc-{login,roles}.test.ts'],
          env: { TEST_ENGINE: 'SQLite' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // Only `npm run security` runs these.
      {
        ...shared,
        test: {
          ...patient,
          name: 'security',
          include: ['tests/security/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
