import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Writes a self-signed certificate for localhost and its key to a folder, in place of earlier ones; returns the certificate. */
export function makeCertificate(folder: string, { days = 365 }: { readonly days?: number } = {}): CertificateFiles {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']
  const about = ['-subj', '/CN=localhost', '-addext', names, '-days', String(days)]
  const files = ['-keyout', keyFile, '-out', certFile]
  execFileSync('openssl', ['req', '-x509', ...curve, ...about, ...files], { stdio: 'pipe' })
  return { certFile, keyFile }
}

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}
