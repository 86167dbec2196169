import type { PluginContext } from '../handler-context.ts'
import type { RunLeased } from './leases.ts'
import { createBatch, createModelClient, type ClientBy, type ClientFor } from './model-client.ts'

export interface ContextParts extends Pick<PluginContext, 'clock' | 'settings' | 'signal'> {
  /** Creates clients with the plugin's own rights. */
  readonly clientBy: ClientBy
  readonly runLeased: RunLeased
  /** Sent with every write. */
  readonly fence?: string | undefined
}

/** What all code of a plugin is given. */
export function createPluginContext({ clientBy, runLeased, fence, ...parts }: ContextParts): PluginContext {
  return {
    ...parts,
    ...clients(clientBy, parts.signal, fence),
    lease: (name, run, options) =>
      runLeased({ ...options, name, signal: parts.signal }, ({ fence: held, term = 0 }, signal) =>
        run({ ...clients(clientBy, signal, held), signal, term }),
      ),
  }
}

function clients(clientBy: ClientBy, signal: AbortSignal, fence: string | undefined) {
  const client: ClientFor = (onError) => clientBy({ onError, fence })
  return { client: createModelClient({ client, signal }), batch: createBatch({ client, signal }) }
}
