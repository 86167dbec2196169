import type { ParsedFile } from './config-file.ts'

/** Where settings come from. Paths are dotted, also into lists: `oidc.providers.0.name`. */
export interface SettingSources {
  /** Begins a message about a setting: `PERGOLA_SERVER_PORT`, or `pergola.yaml:3: server.port`; `item` is one of its list. */
  readonly at: (path: string, item?: number) => string
  /** A message that begins with the path of a setting, with its place instead. */
  readonly located: (message: string) => string
  /** The variable, or file and line; undefined for a default. */
  readonly of: (path: string) => string | undefined
}

export function settingSources(variables: ReadonlySet<string>, file: ParsedFile | undefined): SettingSources {
  const variable = (path: string) => {
    const setting = path.split('.').slice(0, 2).join('.')
    return variables.has(setting) ? variableOf(setting) : undefined
  }
  const placeOf = (path: string) => (file ? `${file.name}:${file.near(path)}` : 'configuration')
  const at = (path: string, item?: number) =>
    variable(path) ?? `${placeOf(item === undefined ? path : `${path}.${item}`)}: ${path}`
  return {
    at,
    located: (message) => {
      const [path] = /^[a-z]+\.[A-Za-z]+[\w.-]*\w/.exec(message) ?? []
      return path === undefined ? message : `${at(path)}${message.slice(path.length)}`
    },
    of: (path) => {
      const line = file?.lineOf(path)
      return variable(path) ?? (line === undefined ? undefined : `${file?.name}:${line}`)
    },
  }
}

/** `server.port` as its variable: `PERGOLA_SERVER_PORT`. */
export function variableOf(path: string): string {
  return `PERGOLA_${path
    .replaceAll('.', '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`
}
