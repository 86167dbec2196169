import { statSync } from 'node:fs'
import type { Config } from './config.ts'
import { isValueSource } from './value-source.ts'

const readableByOthers = 0o004
const changeableByOthers = 0o002

/** A file that every account of this machine can read or change, accounts of plugins included. */
export interface LooseFile {
  readonly file: string
  readonly can: 'read' | 'change'
}

/** The files with secrets that others can read, and those that decide what the server does that others can change. */
export function looseFiles(config: Config, configFile: string | undefined): readonly LooseFile[] {
  const secrets = secretFiles(config, configFile)
  const deciding = [configFile, config.plugins.directory].filter((one) => one !== undefined)
  const files = [...new Set([...secrets, ...deciding])]
  return files.flatMap((file): readonly LooseFile[] => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & changeableByOthers) !== 0) return [{ file, can: 'change' }]
    return secrets.includes(file) && (mode & readableByOthers) !== 0 ? [{ file, can: 'read' }] : []
  })
}

export function looseFileWords({ file, can }: LooseFile): string {
  return `every account of this machine can ${can} ${file}`
}

/** The group keeps its rights: the file may belong to root and be read by the group of the server. */
export function tightening({ file, can }: LooseFile): string {
  return `chmod ${can === 'read' ? 'o=' : 'o-w'} ${quoted(file)}`
}

function secretFiles(config: Config, configFile: string | undefined): readonly string[] {
  const { database, feed, oidc, plugins, secrets, admin, tls } = config
  const urls = [database.url, database.directUrl]
  const isInFile = database.passwordFile !== undefined
  const hasPassword = !isInFile && urls.some((one) => one !== undefined && /^postgres.*:\/\/[^/@]*:[^/@]+@/.test(one))
  const sqlite = database.url.startsWith('sqlite:') ? database.url.slice('sqlite:'.length) : undefined
  const settings = Object.values(plugins.settings).flatMap((values) => Object.values(values).filter(isValueSource))
  const sources = [...secrets.keys, ...settings].flatMap((source) => ('file' in source ? [source.file] : []))
  const files = [
    ...sources,
    admin.passwordFile,
    database.passwordFile,
    ...oidc.providers.map(({ clientSecretFile }) => clientSecretFile),
    feed.natsPasswordFile,
    feed.natsTokenFile,
    feed.natsCredentialsFile,
    feed.natsKeyFile,
    tls.keyFile,
    ...(sqlite === undefined ? [] : [sqlite, `${sqlite}-wal`]),
    ...(hasPassword ? [configFile] : []),
  ]
  return files.filter((file) => file !== undefined)
}

/** As one word of a shell. */
function quoted(file: string): string {
  return /^[\w./@:+-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`
}
