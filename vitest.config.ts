import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { scratchFolder } from './tests/scratch-folder.ts'

const scratch = scratchFolder()
// Inherited by workers and their child processes.
if (scratch !== undefined) process.env['TMPDIR'] ??= scratch

// Processes that tests start from the sources compile them once, not at every start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

/** Multiplies the number of cases of property tests. */
const cases = Number(process.env['CASES'] ?? 1)

const shared = {
  // Tests import the sources of packages, so no build is needed.
  resolve: { conditions: ['@pergola/source'] },
  ssr: { resolve: { conditions: ['@pergola/source'] } },
}

/** Only stops a hang; a busy machine may be ten times slower. */
const limits = {
  testTimeout: 120_000 * cases,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['tests/fixed-seed.ts'],
}

/** The slowest tests; only `npm run proofs` runs them. */
const proofs = '**/*.proof.test.ts'

/** 30 s or more each. They start first, so that none of them runs alone at the end while cores are idle. */
const longest =
  /(security\/(installation|login|plugin-limits|stale-rights)|c[0-9]-(files|shipped|streams|harm|large-lists|internal|life)|postgres-store|pack|test-host|serve|create-plugin|assemble|plugin-process|client\/src\/watch|backup|cli-codegen|plugin-removal|nats-feed)\.test\.ts$/

const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, not of an array
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** Everything but the proofs, by project. */
const suites = {
  unit: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'tests/faults/**/*.test.ts'],
  examples: ['{examples,plugins}/*/src/**/*.test.ts'],
  'end-to-end': ['tests/end-to-end/**/*.test.ts'],
  conformance: ['tests/conformance/**/*.test.ts'],
  security: ['tests/security/**/*.test.ts'],
} as const

function project(name: string, include: readonly string[]) {
  const exclude = name === 'proofs' ? [] : [proofs, '**/node_modules/**']
  // Files share the modules of a worker, because loading the server for each would take a third of the CPU time.
  return { ...shared, test: { ...limits, name, include: [...include], exclude, isolate: false } }
}

/**
 * With `SUITES=together`, one project has all suites: each project transforms the sources for itself, and a worker loads them
 * anew for the next project.
 */
const projects =
  process.env['SUITES'] === 'together'
    ? [project('all', Object.values(suites).flat())]
    : [
        ...Object.entries(suites).map(([name, include]) => project(name, include)),
        project('proofs', [
          'packages/*/src/**/*.proof.test.ts',
          'tests/**/*.proof.test.ts',
          'tools/**/*.proof.test.ts',
        ]),
      ]

export default defineConfig({
  test: {
    globalSetup: 'tests/servers/src/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    // Tests mostly wait for databases, processes and sockets, so two workers per core.
    maxWorkers: 2 * availableParallelism(),
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // `npm run test:console` tests the console in a browser.
      exclude: ['packages/console/**', '**/*.test.ts', '**/contract/**', '**/*.rows.ts', '**/index.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { statements: 90, branches: 85, functions: 90, lines: 90 },
    },
    projects,
  },
})
