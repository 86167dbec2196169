import type { Recorded, Section } from '../../../bench/measure/result.ts'
import { headingSlug } from '../heading-slug.ts'
import { table } from '../markdown.ts'
import { cpuChart } from './cpu-chart.ts'
import { dateText } from './figure-text.ts'
import { goalGroups, isReached, listed, groupOutcome, type GoalGroup } from './goals.ts'
import { growthChart } from './growth-chart.ts'
import { stepChart } from './step-chart.ts'
import type { Chart } from './svg.ts'
import { cpuTable, factTable, growthTable, rateTable, stepTable } from './tables.ts'

/** In the order of the page. */
const headings: Readonly<Record<Section, string>> = {
  requests: 'Requests beside a bare server',
  'custom-api': 'Custom API',
  'commit-to-frame': 'From commit to frame',
  growth: 'Growth',
  peers: 'Beside other products',
  store: 'Store',
  compression: 'Compression',
  'start-and-memory': 'Start and memory',
}

/** A chart and the name of its file. */
export interface ChartFile {
  readonly file: string
  readonly chart: Chart
}

/** The page on performance; sections without results are left out. */
export function performancePage(results: readonly Recorded[]): string {
  const sections = sectionsOf(results)
  const body = sections.map(([section, some]) => {
    const blocks = some.map((result) => blockOf(result, some.length > 1))
    return [`## ${headings[section]}`, ...blocks].join('\n\n')
  })
  return `${[head, summaryOf(sections), ...body].join('\n\n')}\n`
}

export function chartsOf({ name, title, rows, series, steps }: Recorded): readonly ChartFile[] {
  return [
    ...(rows ? [{ file: `${name}.svg`, chart: cpuChart(title, rows) }] : []),
    ...(series ? [{ file: `${name}-growth.svg`, chart: growthChart(title, series) }] : []),
    ...(steps ? [{ file: `${name}-steps.svg`, chart: stepChart(title, steps) }] : []),
  ]
}

const head = `# Performance

What an operation costs in CPU time, beside servers that do the same work or less of it, and how the cost grows.

**The measure is CPU per operation**: user and system time, from \`/proc\`, of all processes of the server, its plugins and
PostgreSQL during a round, divided by the operations of that round. The client that sends the operations is not counted, except where
client and server are one process. Where fewer processes are counted, the text of that section says which.

**Why CPU and not rates.** Results come from machines that others use at the same time. A rate or a latency there changes with the
load of the neighbours; CPU time counts only what a process itself used. Rates and latencies are shown beside it.

**Rounds alternate.** Contestants run in turn, each with the same number of operations, in an order that is reversed every round.
Warm-up rounds are also a number of operations, not a time, and end when the CPU per operation is steady. A figure is the median of the
rounds after that. A ratio is taken within each round, between runs seconds apart; the median of these ratios is shown, and in brackets
their middle half: a quarter of the rounds was below it, a quarter above.`

type SectionResults = readonly [section: Section, results: readonly Recorded[]]

function sectionsOf(results: readonly Recorded[]): readonly SectionResults[] {
  const lost = results.find(({ section }) => !(section in headings))
  if (lost)
    throw new Error(`bench/results/${lost.name}.json has no section of the page on performance: ${lost.section}`)
  return (Object.keys(headings) as Section[])
    .map((section) => [section, results.filter((result) => result.section === section)] as const)
    .filter(([, some]) => some.length > 0)
}

/** Each goal with its figure. */
function summaryOf(sections: readonly SectionResults[]): string {
  const all = sections.flatMap(([, results]) => results.flatMap(goalGroups).flatMap(({ goals }) => goals))
  if (all.length === 0) return '## Goals\n\nNo goal is set for the results below.'
  const rows = sections.flatMap(([section, results]) => {
    const isCompared = results.length > 1 || section === 'peers'
    return results.flatMap(goalGroups).map((group, at) => {
      const link = at === 0 ? `[${headings[section]}](#${headingSlug(headings[section])})` : ''
      return [link, ...goalCells(group, isCompared)]
    })
  })
  return [
    '## Goals',
    '',
    `${all.filter(isReached).length} of ${all.length} are reached. Lower is better; a goal is the highest value that we want.`,
    '',
    table(['Section', 'Goal for', 'Callers', 'Figure', 'Goal', ''], rows, 2),
  ].join('\n')
}

function goalCells({ what, beside, goals, textOf }: GoalGroup, isCompared: boolean): readonly string[] {
  const highest = goals.map(({ goal }) => goal)
  return [
    beside !== undefined && isCompared ? `${what}, beside ${beside}` : what,
    listed(goals.flatMap(({ callers }) => (callers === undefined ? [] : [String(callers)]))),
    textOf(goals.map(({ figure }) => figure)),
    textOf(new Set(highest).size === 1 ? highest.slice(0, 1) : highest),
    groupOutcome(goals),
  ]
}

function blockOf(result: Recorded, titled: boolean): string {
  const { title, text, rows, series, steps, facts, limits } = result
  return [
    ...(titled ? [`### ${title}`] : []),
    text,
    ...chartsOf(result).map(({ file, chart }) => `![${chart.title}](performance/${file})`),
    ...(rows ? [cpuTable(rows), folded('Parts of the CPU, rates and latencies', rateTable(rows))] : []),
    ...(series ? [growthTable(series)] : []),
    ...(steps ? [folded('The same as a table', stepTable(steps))] : []),
    ...(facts ? [factTable(facts)] : []),
    ...(limits === undefined ? [] : [`**What limits it.** ${limits}`]),
    source(result),
  ].join('\n\n')
}

function folded(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`
}

function source({ date, commit, machine, command }: Recorded): string {
  return `<small>\`${command}\`, ${dateText(date)}, commit ${commit}<br>${machine}</small>`
}
