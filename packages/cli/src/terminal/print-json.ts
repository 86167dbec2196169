import type { Terminal } from './terminal.ts'
import { visibleJson } from './visible.ts'

export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  await terminal.print([visibleJson(JSON.stringify(value, undefined, 2))])
}
