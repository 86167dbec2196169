import { hueFault, iconFault, type PluginAbout } from '@pergola/api'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ProjectFault } from './author-fault.ts'

/** The plugin's data from `package.json`. */
export interface PluginProject {
  /** The folder with `package.json`. */
  readonly folder: string
  /** Entry file, relative to the folder. */
  readonly entry: string
  readonly version: string
  readonly license?: string
  readonly description?: string
  readonly author?: string
  readonly homepage?: string
  readonly requires?: string
  /** Logo image, relative to the folder. */
  readonly logo?: string
  readonly icon?: PluginAbout['icon']
  readonly color?: PluginAbout['color']
}

const versionForm =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/
const rangeForm = /^[\^~<>=\d*xX][\^~<>=\d*xX.\s|A-Za-z-]*$/
const pictureForm = /^[\w][\w./-]*\.(svg|png|webp)$/

type Json = Readonly<Record<string, unknown>>

export function readProject(folder: string): PluginProject {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) {
    throw new ProjectFault(`there is no package.json in ${folder}; run this in the folder of a plugin`)
  }
  const json = parsed(readFileSync(file, 'utf8'))
  const own = json['pergola'] ?? {}
  if (!isJson(own))
    throw new ProjectFault('package.json: "pergola" must be an object, such as { "requires": "^1.0.0" }')
  return {
    folder,
    entry: entryOf(folder, own),
    version: versionOf(json),
    ...optional('license', textOf(json, 'license')),
    ...optional('description', textOf(json, 'description')),
    ...optional('author', authorOf(json['author'])),
    ...optional('homepage', textOf(json, 'homepage')),
    ...optional('requires', requiresOf(own)),
    ...optional('logo', logoOf(folder, own)),
    ...lookOf(own),
  }
}

function parsed(text: string): Json {
  try {
    const json: unknown = JSON.parse(text)
    if (isJson(json)) return json
  } catch (error) {
    throw new ProjectFault(`package.json is not JSON: ${(error as Error).message}`)
  }
  throw new ProjectFault('package.json must be an object')
}

function entryOf(folder: string, own: Json): string {
  const entry = textOf(own, 'entry') ?? 'src/plugin.ts'
  if (existsSync(join(folder, entry))) return entry
  throw new ProjectFault(
    `there is no ${entry}, where the plugin should begin; write it, or name another file as "pergola": { "entry": "..." } in package.json`,
  )
}

function versionOf(json: Json): string {
  const { version } = json
  if (version === undefined) throw new ProjectFault('package.json has no version; add "version": "1.0.0"')
  if (typeof version === 'string' && versionForm.test(version)) return version
  throw new ProjectFault(`package.json: the version ${JSON.stringify(version)} must be like 1.0.0 or 1.1.0-beta.1`)
}

function requiresOf(own: Json): string | undefined {
  const requires = textOf(own, 'requires')
  if (requires === undefined || rangeForm.test(requires)) return requires
  throw new ProjectFault(`package.json: pergola.requires "${requires}" must be a range of versions such as ^1.0.0`)
}

function logoOf(folder: string, own: Json): string | undefined {
  const logo = textOf(own, 'logo')
  if (logo === undefined) return undefined
  if (!pictureForm.test(logo) || logo.split('/').includes('..')) {
    throw new ProjectFault(`package.json: pergola.logo "${logo}" must be a .svg, .png or .webp in this folder`)
  }
  if (!existsSync(join(folder, logo))) throw new ProjectFault(`package.json: pergola.logo "${logo}" does not exist`)
  return logo
}

function lookOf(own: Json): Pick<PluginAbout, 'icon' | 'color'> {
  const look = { ...optional('icon', textOf(own, 'icon')), ...optional('color', textOf(own, 'color')) }
  const { icon, color } = look
  const faults = { icon: icon && iconFault(icon), color: color && hueFault(color) }
  for (const key of ['icon', 'color'] as const) {
    if (faults[key] !== undefined) throw new ProjectFault(`package.json: pergola.${key} "${look[key]}" ${faults[key]}`)
  }
  return look as Pick<PluginAbout, 'icon' | 'color'>
}

/** Reads npm's `author`: a string, or an object of name, email and url. */
function authorOf(author: unknown): string | undefined {
  if (!isJson(author)) return typeof author === 'string' ? author : undefined
  const { name, email, url } = author
  const parts = [name, typeof email === 'string' && `<${email}>`, typeof url === 'string' && `(${url})`]
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined
}

function textOf(json: Json, key: string): string | undefined {
  const value = json[key]
  if (value === undefined || (typeof value === 'string' && value !== '')) return value
  throw new ProjectFault(`package.json: "${key}" must be a text`)
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [Name in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [Name in Key]: string })
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
