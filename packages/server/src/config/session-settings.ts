export interface SessionSettings {
  readonly idleTimeout: number
  readonly maxAge: number
}

const yearSeconds = 31_536_000

export const sessionSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    idleTimeout: {
      type: 'integer',
      minimum: 300,
      maximum: yearSeconds,
      default: 43_200,
      description: 'Seconds without use after which a session ends. A shorter time also counts for existing sessions.',
    },
    maxAge: {
      type: 'integer',
      minimum: 300,
      maximum: yearSeconds,
      default: 2_592_000,
      description:
        'Seconds after the login at which a session ends, however much it is used. A shorter time also counts for existing sessions.',
    },
  },
} as const
