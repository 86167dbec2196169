import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { run } from './process.ts'

const projects = join(import.meta.dirname, 'projects')
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pergola-peers')
const installSeconds = 1_200

export interface Project {
  /** Name of the folder below `projects`. */
  readonly name: string
  readonly version: string
  /** Commands after the installation, in the folder. */
  readonly build?: (folder: string) => readonly BuildStep[]
}

interface BuildStep {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>> | undefined
}

export function folderOf({ name, version }: Pick<Project, 'name' | 'version'>): string {
  return join(cache, `${name}-${version}`)
}

/** Installs a project outside of the repository, once; scripts of packages do not run. */
export async function installProject(project: Project): Promise<void> {
  const folder = folderOf(project)
  const mark = join(folder, '.installed')
  mkdirSync(folder, { recursive: true })
  cpSync(join(projects, project.name), folder, { recursive: true })
  if (existsSync(mark)) return
  console.log(`${project.name} ${project.version}: installs into ${folder}, which takes some minutes`)
  const npm = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  for (const { command, env = {} } of [{ command: npm }, ...(project.build?.(folder) ?? [])]) {
    const began = performance.now()
    await run(command, { cwd: folder, env: { ...inherited(), ...env }, seconds: installSeconds })
    console.log(`  ${command.slice(0, 3).join(' ')}: ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  writeFileSync(mark, '')
}

/** The environment with its proxies and settings of npm, without what npm says about the command that runs now. */
function inherited(): Readonly<Record<string, string>> {
  const ofThisCommand = /^(npm_(?!config_)|npm_config_local_prefix$|NODE_OPTIONS$)/
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || ofThisCommand.test(name) ? [] : [[name, value]],
    ),
  )
}

/** Packages in the folder of an installed project. */
export function countPackages(folder: string): number {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: object
  }
  return Object.keys(lock.packages).length
}
