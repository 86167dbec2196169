import { ElMessage } from 'element-plus'
import { problemWords } from '../server/problem-words.ts'

/** Says in a line, for a moment, what was done. */
export function tellDone(message: string): void {
  ElMessage({ type: 'success', message, duration: 3_000 })
}

/** What failed where no place on the page is its own. */
export function tellProblem(error: unknown): void {
  const { title, detail } = problemWords(error)
  ElMessage({ type: 'error', message: `${title}: ${detail}`, duration: 8_000, showClose: true })
}
