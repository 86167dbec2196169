import { runParts } from './measure/part.ts'
import { customApi } from './plugins/custom-api.ts'
import { evaluation } from './plugins/evaluation.ts'
import { idleHost } from './plugins/idle-host.ts'
import { idlePlugins } from './plugins/idle-plugins.ts'
import { reload } from './plugins/reload.ts'
import { start } from './plugins/start.ts'
import { startCpu } from './plugins/start-cpu.ts'

/**
 * Plugins: start time, reload time in development, cost of forwarding a request, cost of an evaluation in a write,
 * and memory of many idle plugins. `--only=start` selects.
 */
await runParts('plugins', {
  start,
  'start-cpu': startCpu,
  'custom-api': customApi,
  evaluation,
  'idle-plugins': idlePlugins,
  'idle-host': idleHost,
  reload,
})
