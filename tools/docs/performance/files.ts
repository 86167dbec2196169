import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readResults } from '../../../bench/measure/result.ts'
import type { GeneratedPart } from '../generated.ts'
import { chartsOf, performancePage } from './page.ts'
import { svgFile } from './svg.ts'

const page = 'docs/operations/performance.md'
const folder = 'docs/operations/performance'

/** The page on performance and its charts; what is not recorded any more is removed. */
export function performanceFiles(): readonly GeneratedPart[] {
  const results = readResults()
  const charts = results.flatMap(chartsOf)
  const before = existsSync(folder) ? readdirSync(folder) : []
  const old = before.filter((name) => charts.every(({ file }) => file !== name))
  return [
    { file: page, text: results.length === 0 ? undefined : performancePage(results) },
    ...charts.map(({ file, chart }) => ({ file: join(folder, file), text: svgFile(chart) })),
    ...old.map((name) => ({ file: join(folder, name), text: undefined })),
  ]
}
