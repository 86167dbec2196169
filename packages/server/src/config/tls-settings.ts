export interface TlsSettings {
  readonly certFile?: string
  readonly keyFile?: string
}

export const tlsSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    certFile: {
      type: 'string',
      minLength: 1,
      description:
        'File with the certificate of the server in PEM, followed by those of its authorities. With it the server speaks only https. It is read again when it changes, without a restart.',
    },
    keyFile: {
      type: 'string',
      minLength: 1,
      description: 'File with the private key of `tls.certFile` in PEM, without a passphrase.',
    },
  },
} as const
