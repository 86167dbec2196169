import { monitorEventLoopDelay } from 'node:perf_hooks'
import { counted, gauge } from './metrics.ts'

/** Measures this process, without those of plugins. */
export function measureProcess(): Disposable {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const stack = new DisposableStack()
  stack.defer(() => delay.disable())
  stack.use(counted('pergola_cpu_seconds', () => [{ value: cpuSeconds() }]))
  stack.use(gauge('pergola_memory_bytes', () => [{ value: process.memoryUsage.rss() }]))
  const longest = () => {
    const value = delay.max / 1e9
    delay.reset()
    return [{ value }]
  }
  stack.use(gauge('pergola_event_loop_delay_seconds', longest))
  return stack
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
