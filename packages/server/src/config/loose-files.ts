import { statSync } from 'node:fs'
import type { Config } from './config.ts'

const readableByOthers = 0o004

/** Warnings about files with secrets that every account of this machine can read, accounts of plugins included. */
export function looseFiles(config: Config, configFile: string | undefined): readonly string[] {
  const { url, directUrl } = config.database
  const hasPassword = [url, directUrl].some((one) => one !== undefined && /^postgres.*:\/\/[^/@]*:[^/@]+@/.test(one))
  const keys = config.secrets.keys.flatMap((source) => ('file' in source ? [source.file] : []))
  const files = [
    ...keys,
    ...(url.startsWith('sqlite:') ? [url.slice('sqlite:'.length)] : []),
    ...(configFile !== undefined && hasPassword ? [configFile] : []),
  ]
  return files
    .filter((file) => isLoose(file))
    .map((file) => `every account of this machine can read ${file}; run chmod 600 ${file}`)
}

function isLoose(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true && (found.mode & readableByOthers) !== 0
}
