import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { scratchFolder } from './tests/scratch-folder.ts'

const scratch = scratchFolder()
// Workers and what they start inherit it.
if (scratch !== undefined) process.env['TMPDIR'] ??= scratch

// Server processes and commands that tests start from the sources compile them once, not at every start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

/** Property tests take this many times their usual number of cases. */
const cases = Number(process.env['CASES'] ?? 1)

const shared = {
  // Packages are tested from their sources; nothing has to be built first.
  resolve: { conditions: ['@pergola/source'] },
  ssr: { resolve: { conditions: ['@pergola/source'] } },
}

/** Limits only end a hang: a busy machine may be ten times slower. */
const limits = {
  testTimeout: 120_000 * cases,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['tests/fixed-seed.ts'],
}

/** The longest tests, run only by `npm run proofs`. */
const proofs = '**/*.proof.test.ts'

/** Half a minute and more each. They start first, so that none of them runs alone at the end beside an idle core. */
const longest =
  /(postgres-store|administer|dev|plugin-process|serve|pack|plugin-upgrade|plugin-removal|backup|cli-codegen)\.test\.ts$/

const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, not of an array
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

function project(name: string, include: readonly string[]) {
  const exclude = name === 'proofs' ? [] : [proofs, '**/node_modules/**']
  // Files share the modules of a worker: loading the server anew for each would take a third of the CPU.
  return { ...shared, test: { ...limits, name, include: [...include], exclude, isolate: false } }
}

export default defineConfig({
  test: {
    globalSetup: 'tests/servers/src/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    // Mostly waiting for databases, processes and sockets: two workers a core.
    maxWorkers: 2 * availableParallelism(),
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // The console is tested in a browser: `npm run test:console`.
      exclude: ['packages/console/**', '**/*.test.ts', '**/contract/**', '**/*.rows.ts', '**/index.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { statements: 90, branches: 85, functions: 90, lines: 90 },
    },
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'tests/faults/**/*.test.ts']),
      project('examples', ['{examples,plugins}/*/src/**/*.test.ts']),
      project('end-to-end', ['tests/end-to-end/**/*.test.ts']),
      project('conformance', ['tests/conformance/**/*.test.ts']),
      project('security', ['tests/security/**/*.test.ts']),
      project('proofs', ['packages/*/src/**/*.proof.test.ts', 'tests/**/*.proof.test.ts', 'tools/**/*.proof.test.ts']),
    ],
  },
})
