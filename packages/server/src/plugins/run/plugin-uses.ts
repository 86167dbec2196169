import { counted, counter, gauge, histogram } from '../../base/metrics.ts'
import type { PluginBounds, PluginRates } from '../../store/replicas.ts'
import type { PluginProcess } from '../process/plugin-process.ts'

/** What a plugin uses on this replica. */
interface PluginUse {
  readonly memoryBytes: number
  readonly processes: number
  /** While two versions run, what both may use together; undefined if none runs. */
  readonly limits: PluginBounds | undefined
  /** CPU time of all its processes so far. */
  readonly cpuSeconds: number
  /** Unexpected exits so far. */
  readonly exits: number
  /** Requests that it has not finished answering. */
  readonly openRequests: number
  /** Requests answered so far, and the time until their answers began. */
  readonly answers: number
  readonly answerSeconds: number
}

/** Measures plugins, for the metrics and for people. */
export interface PluginUses extends Disposable {
  /** Counts the process until the result is disposed of. */
  follow(plugin: string, process: Pick<PluginProcess, 'use' | 'link'>, limits: PluginBounds): Disposable
  exited(plugin: string): void
  answered(plugin: string, seconds: number): void
  readonly read: () => ReadonlyMap<string, PluginUse>
  forget(plugin: string): void
}

interface Counts {
  readonly processes: Map<Pick<PluginProcess, 'use' | 'link'>, PluginBounds>
  /** CPU time of processes that ended. */
  pastSeconds: number
  exits: number
  answers: number
  answerSeconds: number
}

export function createPluginUses(): PluginUses {
  const plugins = new Map<string, Counts>()
  const exited = counter('pergola_plugin_exits')
  const answered = histogram('pergola_plugin_answer_seconds')
  const of = (plugin: string) => {
    const counts = plugins.get(plugin) ?? {
      processes: new Map(),
      pastSeconds: 0,
      exits: 0,
      answers: 0,
      answerSeconds: 0,
    }
    if (!plugins.has(plugin)) exited(0, { plugin })
    plugins.set(plugin, counts)
    return counts
  }
  const observe = (read: (use: PluginUse) => number) => () =>
    [...plugins].map(([plugin, counts]) => ({ value: read(useOf(counts)), labels: { plugin } }))
  const stack = new DisposableStack()
  stack.use(
    gauge(
      'pergola_plugin_memory_bytes',
      observe(({ memoryBytes }) => memoryBytes),
    ),
  )
  stack.use(
    gauge(
      'pergola_plugin_open_requests',
      observe(({ openRequests }) => openRequests),
    ),
  )
  stack.use(
    counted(
      'pergola_plugin_cpu_seconds',
      observe(({ cpuSeconds }) => cpuSeconds),
    ),
  )
  return {
    follow: (plugin, process, limits) => {
      const counts = of(plugin)
      counts.processes.set(process, limits)
      return {
        [Symbol.dispose]: () => {
          if (counts.processes.delete(process)) counts.pastSeconds += process.use()?.cpuSeconds ?? 0
        },
      }
    },
    exited: (plugin) => {
      of(plugin).exits++
      exited(1, { plugin })
    },
    answered: (plugin, seconds) => {
      const counts = of(plugin)
      counts.answers++
      counts.answerSeconds += seconds
      answered(seconds, { plugin })
    },
    read: () => new Map([...plugins].map(([plugin, counts]) => [plugin, useOf(counts)])),
    forget: (plugin) => void plugins.delete(plugin),
    [Symbol.dispose]: () => stack.dispose(),
  }
}

function useOf({ processes: followed, pastSeconds, exits, answers, answerSeconds }: Counts): PluginUse {
  let [memoryBytes, processes, cpuSeconds, openRequests] = [0, 0, pastSeconds, 0]
  for (const { use, link } of followed.keys()) {
    const now = use()
    memoryBytes += now?.bytes ?? 0
    processes += now?.processes ?? 0
    cpuSeconds += now?.cpuSeconds ?? 0
    openRequests += link.openRequests()
  }
  const limits = boundsOf([...followed.values()])
  return { memoryBytes, processes, limits, cpuSeconds, exits, openRequests, answers, answerSeconds }
}

function boundsOf(limits: readonly PluginBounds[]): PluginBounds | undefined {
  if (limits.length === 0) return undefined
  const sum = (of: keyof PluginBounds) => limits.reduce((total, one) => total + one[of], 0)
  return { memoryBytes: sum('memoryBytes'), scratchBytes: sum('scratchBytes'), processes: sum('processes') }
}

/** Returns a function that reads the rates since its last call. */
export function pluginRates(read: PluginUses['read'], now: () => number): () => Readonly<Record<string, PluginRates>> {
  let before = read()
  let at = now()
  return () => {
    const seconds = Math.max(0.001, (now() - at) / 1000)
    const after = read()
    const rates = [...after].map(([plugin, use]) => [plugin, ratesOf(use, before.get(plugin), seconds)] as const)
    before = after
    at = now()
    return Object.fromEntries(rates)
  }
}

const none = { cpuSeconds: 0, answers: 0, answerSeconds: 0 }

function ratesOf(use: PluginUse, before: typeof none = none, seconds: number): PluginRates {
  const { memoryBytes, processes, limits, exits, openRequests } = use
  const answers = use.answers - before.answers
  return {
    memoryBytes,
    processes,
    ...(limits && { limits }),
    cpu: round((use.cpuSeconds - before.cpuSeconds) / seconds),
    exits,
    openRequests,
    requestsPerSecond: round(answers / seconds),
    ...(answers > 0 && { answerMs: round(((use.answerSeconds - before.answerSeconds) * 1000) / answers) }),
  }
}

function round(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000)
}
