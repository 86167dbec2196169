import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { Answer } from './request.ts'

export interface AuditLine extends Readonly<Record<string, unknown>> {
  readonly requestId?: string
  readonly event?: string
  readonly count?: number
}

/** Creates a folder that is removed after the tests of the file. */
export function auditDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-conformance-audit-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  return directory
}

export function linesIn(file: string): readonly AuditLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as AuditLine)
}

export function idOf({ headers }: Answer): string {
  return String(headers['pergola-request-id'])
}

/** The audit lines of a request; waits for the first one. */
export async function linesOf(file: string, answer: Answer): Promise<readonly AuditLine[]> {
  const found = () => linesIn(file).filter(({ requestId }) => requestId === idOf(answer))
  await expect.poll(() => found().length, { interval: 20 }).toBeGreaterThan(0)
  return found()
}
