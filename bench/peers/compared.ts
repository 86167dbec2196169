import type { Server, System } from './system.ts'

/** What a run compares: Pergola first. */
export interface Compared {
  readonly systems: readonly [System, ...System[]]
  /** Reasons by product. */
  readonly missing: ReadonlyMap<string, string>
  /** People that every system has, numbered from 1. */
  readonly rows: number
}

export interface RunningSystem extends System {
  readonly server: Server
}

export interface Running extends AsyncDisposable {
  readonly systems: readonly [RunningSystem, ...RunningSystem[]]
}

export async function startAll({ systems: [ours, ...peers] }: Compared): Promise<Running> {
  await using stack = new AsyncDisposableStack()
  const begin = async (system: System) => ({ ...system, server: stack.use(await system.start()) })
  const systems: [RunningSystem, ...RunningSystem[]] = [await begin(ours)]
  for (const peer of peers) systems.push(await begin(peer))
  const started = stack.move()
  return { systems, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

export function notMeasured({ missing }: Compared): string {
  return [...missing].map(([name, why]) => `${name} is not measured: ${why}.`).join(' ')
}
