import { defineConfig } from 'vitest/config'

/** Property tests take this many times their usual number of cases. */
const cases = Number(process.env['CASES'] ?? 1)

const shared = {
  // Packages are tested from their sources; nothing has to be built first.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
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

export default defineConfig({
  test: {
    globalSetup: 'tests/servers/src/global-setup.ts',
    // Mostly waiting for databases and sockets: one worker a core, where the default leaves one core idle.
    maxWorkers: '100%',
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/contract/**', '**/*.rows.ts', '**/index.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { statements: 90, branches: 85, functions: 90, lines: 90 },
    },
    projects: [
      {
        ...shared,
        test: {
          ...limits,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [proofs],
        },
      },
      {
        ...shared,
        test: { ...limits, name: 'end-to-end', include: ['tests/end-to-end/**/*.test.ts'], exclude: [proofs] },
      },
      { ...shared, test: { ...limits, name: 'conformance', include: ['tests/conformance/**/*.test.ts'] } },
      { ...shared, test: { ...limits, name: 'proofs', include: [proofs] } },
    ],
  },
})
