import { defineConfig } from 'vitest/config'

const shared = {
  // Packages are tested from their sources; nothing has to be built first.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
}

// Property tests take this many times their usual number of cases.
const cases = Number(process.env['CASES'] ?? 1)

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
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          testTimeout: 20_000 * cases,
        },
      },
      { ...shared, test: { name: 'end-to-end', include: ['tests/end-to-end/**/*.test.ts'], testTimeout: 30_000 } },
      // Only `npm run conformance` runs these; it also compares them with the list of promises.
      {
        ...shared,
        test: {
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
