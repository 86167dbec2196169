import { runParts } from './part.ts'
import { customApi } from './plugins/custom-api.ts'
import { evaluation } from './plugins/evaluation.ts'
import { idleHost } from './plugins/idle-host.ts'
import { idlePlugins } from './plugins/idle-plugins.ts'
import { reload } from './plugins/reload.ts'
import { start } from './plugins/start.ts'
import { startCpu } from './plugins/start-cpu.ts'

/**
 * Plugins: how soon one is started, and answers otherwise while it is written, what the host adds to a request that it hands on, what it costs a write to ask a plugin,
 * and what it takes to have many that do nothing. `--only=start` chooses.
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
