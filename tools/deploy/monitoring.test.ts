import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configSchema } from '../../packages/server/src/config/config-schema.ts'
import { shownMetrics } from '../../packages/server/src/base/metrics.ts'
import { metricsQueriedBy } from './queried-metrics.ts'
import { readYaml } from './yaml-files.ts'

/** Metrics of Prometheus itself and of its blackbox exporter; docs/operations/monitor.md names both. */
const metricsOfOthers = new Set(['up', 'probe_success', 'probe_duration_seconds'])

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly annotations?: { readonly runbook: string }
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

const { groups } = readYaml('deploy/prometheus/rules.yaml') as { groups: readonly { rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(readFileSync('deploy/grafana/pergola.json', 'utf8')) as { panels: readonly Panel[] }
const recorded = new Set(rules.flatMap(({ record }) => record ?? []))

test.each([
  ['sum by (instance) (rate(some_total{job="a_b"}[5m])) * 60', ['some_total']],
  ['a_metric{x="y"} > 1 and on (instance) other:metric == 0', ['a_metric', 'other:metric']],
  ['up unless up offset 15m or vector(0) > 1e3', ['up']],
  ['count(one) > 0 unless on () count(two) > 0', ['one', 'two']],
])('of %s the metrics are %j', (query, metrics) => {
  expect(metricsQueriedBy(query)).toEqual(metrics)
})

test('rules and dashboard use existing metrics', () => {
  const known = new Set([...shownMetrics(), ...metricsOfOthers])
  const queries = [
    ...rules.map(({ alert, record, expr }) => ({ by: alert ?? record, expr })),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ by: title, expr }))),
  ]
  expect(queries.length).toBeGreaterThan(20)
  const unknown = queries.flatMap(({ by, expr }) =>
    metricsQueriedBy(expr).flatMap((name) => (known.has(name) || recorded.has(name) ? [] : [`${by}: ${name}`])),
  )
  expect(unknown).toEqual([])
})

test('every metric of the server is on the dashboard', () => {
  const asked = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsQueriedBy(expr))))
  expect([...shownMetrics()].filter((name) => !asked.has(name))).toEqual([])
})

test('panels have unique numbers', () => {
  const ids = panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every alert links to its runbook, whose table has exactly one row for each alert', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined)
  for (const { alert, annotations } of alerts) {
    expect(annotations?.runbook, alert).toBe('docs/operations/monitor.md#alerts')
  }
  const page = readFileSync('docs/operations/monitor.md', 'utf8')
  expect(page).toMatch(/^## Alerts$/m)
  const rows = [...page.matchAll(/^\| `(Pergola\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(alerts.map(({ alert }) => alert))
})

test('the alert on watches is below the default of watch.max', () => {
  const limit = /> (\d+)$/.exec(rules.find(({ alert }) => alert === 'PergolaWatchesNearLimit')?.expr ?? '')?.[1]
  expect(Number(limit)).toBe(configSchema.properties.watch.properties.max.default * 0.8)
})

test('the rules use the jobs of the sample configuration', () => {
  const { scrape_configs: jobs } = readYaml('deploy/prometheus/prometheus.yaml') as {
    scrape_configs: readonly { job_name: string }[]
  }
  const asked = [...readFileSync('deploy/prometheus/rules.yaml', 'utf8').matchAll(/job="([^"]+)"/g)].map(
    ([, job]) => job,
  )
  expect(new Set(asked)).toEqual(new Set(jobs.map(({ job_name: name }) => name)))
})

test.runIf(isInstalled('promtool'))('Prometheus accepts the rules, and they fire as expected', () => {
  const run = (...words: string[]) => execFileSync('promtool', words, { encoding: 'utf8', stdio: 'pipe' })
  expect(run('check', 'config', 'deploy/prometheus/prometheus.yaml')).toContain('SUCCESS')
  expect(run('test', 'rules', 'deploy/prometheus/rules.test.yaml')).toContain('SUCCESS')
})

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
