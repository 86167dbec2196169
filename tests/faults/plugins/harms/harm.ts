import type { LoneHost } from '../lone-host.ts'

export interface Scene {
  readonly host: LoneHost
  readonly quick: boolean
  /** Of the plugin. */
  readonly name: string
}

/** One way of a plugin to be a burden. */
export interface Harm {
  readonly what: string
  readonly plugin: string
  /** What has to be there before; others may wait for it. */
  readonly setUp?: (scene: Scene) => Promise<void>
  /** Installs it, does it, and answers what was seen of it; throws when that is not what should be. */
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
