import type { PluginLimits } from '@pergola/api'
import type { HostLimits } from '../process/launch-options.ts'

const mebibyte = 1024 * 1024

/** The limits of a plugin: set by an operator, else what it needs, but not less than every plugin may use. */
export function limitsFor(usual: HostLimits, needs: PluginLimits = {}, set: PluginLimits = {}): HostLimits {
  const { memoryBytes, usualMemoryBytes, scratchBytes, processes } = usual
  const needed = bytes(needs.memory) ?? 0
  return {
    ...usual,
    memoryBytes: bytes(set.memory) ?? Math.max(memoryBytes, needed),
    ...(usualMemoryBytes !== undefined && { usualMemoryBytes: Math.max(usualMemoryBytes, needed) }),
    scratchBytes: bytes(set.scratch) ?? Math.max(scratchBytes, bytes(needs.scratch) ?? 0),
    processes: set.processes ?? Math.max(processes, needs.processes ?? 0),
  }
}

function bytes(mebibytes: number | undefined): number | undefined {
  return mebibytes === undefined ? undefined : mebibytes * mebibyte
}
