import type { HealthCode, HealthFinding, HealthValues } from '@pergola/api'
import { words } from '../words/words.ts'

/** The host's report on the replica that answers. */
export interface Overview {
  readonly version: string
  readonly startedAt: string
  readonly memoryBytes: number
  readonly watches: number
  readonly checks: readonly Check[]
  readonly traffic: Traffic
}

/** A health check, with its finding as code and values, and in English. */
export type Check = HealthFinding & { readonly name: string; readonly ok: boolean; readonly detail: string }

/** What a check found, in the words of the language; in the server's English if it has none. */
export function findingWords({ code, values, detail }: Pick<Check, 'code' | 'values' | 'detail'>): string {
  const say = words.value.health[code] as ((values: HealthValues[HealthCode]) => string) | undefined
  return say?.(values) ?? detail
}

export function checkName(name: string): string {
  return words.value.checkNames[name] ?? name
}

export interface Traffic {
  readonly everyMs: number
  readonly buckets: readonly {
    readonly at: string
    readonly requests: number
    readonly failed: number
    readonly p50?: number
    readonly p99?: number
  }[]
}
