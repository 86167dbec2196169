import { readResults } from '../../../bench/measure/result.ts'

/** A sentence that leads to the page on performance; empty while nothing is recorded. */
export function performanceLink(page: string): string {
  if (readResults().length === 0) return ''
  return `[Performance](${page}) shows what an operation costs beside other servers, and which goals of speed are reached.`
}
