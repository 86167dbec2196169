import { approvalsFor, type PackageContents, type PluginDefinition } from '@pergola/api'
import { AuthorFault, ProjectFault } from '../plugin/author-fault.ts'
import { buildPackage } from '../plugin/build-package.ts'
import { beginReader, type Reader } from '../plugin/inspect-bundle.ts'
import { describeDefinition } from './describe-definition.ts'
import type { DevFolder } from './dev-folder.ts'
import { faultLines } from './fault-lines.ts'
import type { RunningHost } from './development-host.ts'
import { HostRefusal } from './host-api.ts'
import { clockTime, type Output } from './output.ts'
import type { Saved } from './reload-loop.ts'
import { applySeed, seedFolder } from './seed.ts'

export interface DevelopedParts {
  /** Folder of the plugin, with symbolic links resolved. */
  readonly folder: string
  /** Export conditions for resolving packages. */
  readonly conditions: readonly string[]
  readonly output: Pick<Output, 'say'>
  readonly kept: DevFolder
  /** Aborted when `pergola dev` stops. */
  readonly signal: AbortSignal
}

/** The plugin under development, from its sources to the running version. */
export interface DevelopedPlugin {
  /** Name from the last build; undefined before the first. */
  readonly name: string | undefined
  readonly definition: PluginDefinition | undefined
  /** Builds the plugin before the host runs. Errors are reported by `begin`. */
  prepare(): Promise<void>
  /** Installs the built plugin on the host. Calls `told` before the first line of output. */
  begin(host: RunningHost, told: () => void): Promise<void>
  /** Builds and installs the saved version. On failure, reports why; the running version keeps answering. */
  reload(saved: Saved): Promise<void>
}

type Built = Awaited<ReturnType<typeof buildPackage>>

/** The version that keeps answering when a new one fails. */
type Answering =
  | { readonly since: Date; readonly digest: string; readonly contents: PackageContents }
  | 'of the last run'
  | undefined

/** Mutable state of the plugin under development. */
interface Life {
  readonly parts: DevelopedParts
  current: Built | undefined
  answering: Answering
  /** Process started in advance for the next build. */
  reader: Reader | undefined
}

export function createDevelopedPlugin(parts: DevelopedParts): DevelopedPlugin {
  const { say } = parts.output
  const life: Life = { parts, current: undefined, answering: undefined, reader: undefined }
  let host: RunningHost | undefined
  let prepared: Promise<Built> | undefined
  return {
    get name() {
      return life.current?.manifest.name
    },
    get definition() {
      return life.current?.manifest.definition
    },
    prepare: async () => {
      prepared = build(life)
      await prepared.catch(() => {})
    },
    begin: async (running, told) => {
      host = running
      const began = performance.now()
      try {
        if (await running.api.hasPlugins()) life.answering = 'of the last run'
        const built = await (prepared ?? build(life))
        const approved = await place(life, running, built)
        const ms = Math.round(performance.now() - began)
        told()
        say(built.manifest.name, [`started in ${ms} ms: ${describeDefinition(built.contents)}`], 'good')
        tellApproved(life, approved)
        await seed(life, running)
      } catch (error) {
        told()
        tellFault(life, error)
      }
    },
    reload: async (saved) => {
      if (!host) return
      try {
        if (saved.files.every((file) => file.startsWith(`${seedFolder}/`))) await seedSaved(life, host, saved)
        else await replace(life, host, saved)
      } catch (error) {
        tellFault(life, error)
      }
      life.reader ??= beginReader(parts.signal)
    },
  }
}

async function build(life: Life): Promise<Built> {
  const { folder, conditions, signal } = life.parts
  const { reader = beginReader(signal) } = life
  life.reader = undefined
  try {
    const built = await buildPackage({ folder, conditions, forDevelopment: true, reader, signal })
    life.current = built
    return built
  } catch (error) {
    // Bundling failed, so the process is not needed.
    reader.child.kill()
    throw error
  }
}

/** Installs the package like any other and approves everything it requests. Returns the approvals that are new. */
async function place(life: Life, host: RunningHost, built: Built): Promise<readonly string[]> {
  const { output, signal } = life.parts
  const { manifest, digest, bytes, contents, warnings } = built
  if (warnings !== '') output.say(manifest.name, [warnings], 'quiet')
  const sent = { name: manifest.name, version: manifest.version, digest, bytes }
  const lines = host.linesOf(manifest.name)
  lines.hold()
  try {
    await host.api.install(sent, approvalsFor(contents))
    await host.api.untilStarted(sent, signal)
    lines.release()
  } catch (error) {
    lines.release(error instanceof Error ? error.message : '')
    throw error
  }
  const before = typeof life.answering === 'object' ? life.answering.contents : undefined
  life.answering = { since: new Date(), digest, contents }
  return approvalsFor(contents, before)
}

async function replace(life: Life, host: RunningHost, { files, since }: Saved): Promise<void> {
  const { say } = life.parts.output
  const built = await build(life)
  const { name } = built.manifest
  if (typeof life.answering === 'object' && built.digest === life.answering.digest) {
    say(name, [`${shown(files)} saved, the plugin is the same`], 'quiet')
    return
  }
  const approved = await place(life, host, built)
  say(name, [`${shown(files)} saved, reloaded in ${Math.round(performance.now() - since)} ms`], 'good')
  tellApproved(life, approved)
  await seed(life, host)
}

function tellApproved({ parts, current }: Life, approved: readonly string[]): void {
  if (approved.length === 0) return
  const words = `approved, since this is development: ${approved.join(', ')}`
  parts.output.say(current?.manifest.name ?? '', [words], 'quiet')
}

async function seed({ parts, answering }: Life, host: RunningHost): Promise<void> {
  const { folder, kept, output } = parts
  if (kept.isSeeded() || !answering) return
  const count = await applySeed(folder, host.api)
  if (count === 0) return
  kept.markSeeded()
  const written = count === 1 ? 'an object' : `${count} objects`
  output.say('seed', [`${written} of ${seedFolder}/, kept between runs; --reset starts again`])
}

async function seedSaved(life: Life, host: RunningHost, { files }: Saved): Promise<void> {
  const { kept, output } = life.parts
  if (!kept.isSeeded()) return seed(life, host)
  output.say('seed', [`${shown(files)} saved; its objects exist already, --reset starts again`], 'quiet')
}

function tellFault({ parts, current, answering }: Life, error: unknown): void {
  if (parts.signal.aborted) return
  const lines = [...wordsOf(error, parts.folder), keepsAnswering(answering)]
  parts.output.say(current?.manifest.name ?? 'dev', lines, 'bad')
}

function shown([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

function keepsAnswering(answering: Answering): string {
  if (answering === undefined) return 'no version is running; the next save retries'
  if (answering === 'of the last run') return 'the version of the last run keeps answering'
  return `the version of ${clockTime(answering.since)} keeps answering`
}

/** Formats an error: author errors as they are, host errors with source locations, internal errors with their stack. */
function wordsOf(error: unknown, folder: string): readonly string[] {
  if (error instanceof AuthorFault) return error.lines
  if (error instanceof ProjectFault) return [error.message]
  if (error instanceof HostRefusal) return faultLines(error.message, folder)
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
}
