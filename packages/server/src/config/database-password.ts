import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { readSecretFile } from './value-source.ts'

const setting = 'database.passwordFile'

/** The settings with the password of the file in the addresses of the database. Throws `ConfigError`. */
export function withDatabasePassword(config: Config, readFile: (name: string) => string): Config {
  const { url, directUrl, passwordFile } = config.database
  if (passwordFile === undefined) return config
  const password = readSecretFile(setting, passwordFile, readFile)
  if (password === '') throw new ConfigError(`${setting}: ${passwordFile} is empty; it must contain the password`)
  const database = {
    ...config.database,
    url: withPassword(url, password, 'url'),
    ...(directUrl !== undefined && { directUrl: withPassword(directUrl, password, 'directUrl') }),
  }
  return { ...config, database }
}

function withPassword(text: string, password: string, key: 'url' | 'directUrl'): string {
  if (text.startsWith('sqlite:')) throw new ConfigError(`${setting} is for PostgreSQL; remove it, or set database.url`)
  const url = new URL(text)
  if (url.password !== '') {
    throw new ConfigError(`${setting}: database.${key} has a password too; remove it from there`)
  }
  if (url.username === '' || url.hostname === '') {
    throw new ConfigError(
      `${setting}: database.${key} must name the user, such as postgres://pergola@db.example.com/pergola`,
    )
  }
  url.password = encodeURIComponent(password)
  return url.href
}
