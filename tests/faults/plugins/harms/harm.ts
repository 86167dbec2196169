import type { LoneHost } from '../lone-host.ts'

export interface Scene {
  readonly host: LoneHost
  readonly quick: boolean
  /** Name of the plugin. */
  readonly name: string
}

/** One way in which a plugin can harm its host. */
export interface Harm {
  readonly what: string
  readonly plugin: string
  /** Preparation before the measured interval. */
  readonly setUp?: (scene: Scene) => Promise<void>
  /** Installs the plugin, causes the harm and returns the observation; throws if it is not the expected one. */
  readonly run: (scene: Scene) => Promise<string>
}

export async function installed(host: LoneHost, name: string, body: Buffer): Promise<void> {
  const answer = await host.install(body)
  if (!answer.ok) throw new Error(`${name} is refused: ${answer.status} ${await answer.text()}`)
  await host.untilPlugin(name, ({ status }) => status?.phase === 'Started')
}

export function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}
