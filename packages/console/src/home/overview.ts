/** The host's report on the replica that answers. */
export interface Overview {
  readonly version: string
  readonly startedAt: string
  readonly memoryBytes: number
  readonly watches: number
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
  readonly traffic: Traffic
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
