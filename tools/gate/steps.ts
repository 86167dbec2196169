/** One command of the gate. */
export interface Step {
  readonly name: string
  readonly command: string
}

/** Path of vitest's JSON report. */
export const testReport = 'node_modules/.cache/tests.json'

/** Steps that read only the sources, and the build itself; two run in parallel. */
export const staticSteps: readonly Step[] = [
  { name: 'types', command: 'npm run -s build' },
  { name: 'types of pages', command: 'npm run -s types:pages' },
  { name: 'format', command: 'npm run -s format:check' },
  { name: 'layers', command: 'npm run -s lint:layers' },
  { name: 'dead code', command: 'npm run -s lint:unused' },
  { name: 'docs match code', command: 'npm run -s docs:check' },
  { name: 'documentation site', command: 'npm run -s docs:build' },
]

/** Steps that need the build; two run in parallel. */
export const builtSteps: readonly Step[] = [
  { name: 'lint', command: 'npm run -s lint' },
  { name: 'public surface', command: 'npm run -s surface -- --check' },
  { name: 'packages', command: 'npm run -s packages -- --built' },
  { name: 'walk', command: 'npm run -s walk -- --engine=sqlite' },
  { name: 'console', command: "npm run -s test:console -- --only='sees only'" },
]

/** Unit, end-to-end, conformance and security tests in one process; `more` narrows it to some files or workers. */
export function testCommand(more: readonly string[] = []): string {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${testReport}`]
  return ['SUITES=together npx vitest run', ...reporters, ...more].join(' ')
}

/**
 * Suites in processes of their own; two run in parallel. The longest is first, because it mostly waits for npm. It kills processes of
 * the plugin `todo`, so no other suite here runs that.
 */
export const suiteSteps: readonly Step[] = [
  { name: 'documents run', command: 'npm run -s docs:run -- README.md docs/tutorial/index.md' },
  { name: 'order of changes', command: 'npm run -s faults -- ordering --events=4000' },
  {
    name: 'watch histories',
    command: 'npm run -s faults -- watch --calm --rounds=1 --changes=2000 --seed=1',
  },
]
