import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { ConfigError } from './config-error.ts'
import { readSecretFile } from './value-source.ts'
import type { TlsSettings } from './tls-settings.ts'

/** A certificate with its private key, as the TLS library takes them. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Milliseconds since 1970. */
  readonly validTo: number
  /** Whether it is for this host name or address. */
  readonly isFor: (host: string) => boolean
}

/** Undefined unless files are configured. Throws `ConfigError` for files that cannot be used together. */
export function certificateOf(
  { certFile, keyFile }: TlsSettings,
  readFile: (name: string) => string,
): Certificate | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined || keyFile === undefined) {
    const [missing, given] = certFile === undefined ? ['certFile', 'keyFile'] : ['keyFile', 'certFile']
    throw new ConfigError(`tls.${given} goes with tls.${missing}; set both or neither`)
  }
  const cert = readSecretFile('tls.certFile', certFile, readFile)
  const key = readSecretFile('tls.keyFile', keyFile, readFile)
  const parsed = attempt('tls.certFile', `${certFile} is not a certificate in PEM`, () => new X509Certificate(cert))
  const privateKey: KeyObject = attempt(
    'tls.keyFile',
    `${keyFile} is not a private key in PEM without a passphrase`,
    () => createPrivateKey(key),
  )
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `tls.certFile: the first certificate in ${certFile} does not belong to the key in ${keyFile}; it must be that of the server, before those of its authorities`,
    )
  }
  attempt('tls.certFile', `${certFile} cannot be used for TLS`, () => createSecureContext({ cert, key }))
  const isFor = (host: string) => (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined
  return { cert, key, validTo: Date.parse(parsed.validTo), isFor }
}

/** The messages of the library show no content of the files. */
function attempt<Made>(setting: string, words: string, make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    const { message } = error as Error
    throw new ConfigError(`${setting}: ${words} (${message})`)
  }
}
