/** An OpenID Connect provider, as configured. */
export interface OidcProviderSettings {
  readonly name: string
  readonly displayName?: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile?: string
  readonly scopes: readonly string[]
  readonly rolesClaim?: string
  readonly roles: Readonly<Record<string, readonly string[]>>
}

/** The schema of the `oidc` settings. */
export const oidcSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    maxAge: {
      type: 'integer',
      minimum: 1,
      maximum: 2_592_000,
      default: 86_400,
      description:
        'Seconds that roles given by a provider count after their user has signed in there; at most 30 days.',
    },
    providers: {
      type: 'array',
      maxItems: 20,
      default: [],
      description: 'Where people sign in by OpenID Connect; each has the settings below.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'issuer', 'clientId'],
        properties: {
          name: {
            type: 'string',
            format: 'provider-name',
            description: 'Stands in the address that the provider sends people back to.',
          },
          displayName: { type: 'string', minLength: 1, maxLength: 100, description: 'What people are shown.' },
          issuer: {
            type: 'string',
            format: 'issuer',
            maxLength: 500,
            description: 'The address by which the provider names itself. With a subject it is an identity.',
          },
          clientId: { type: 'string', minLength: 1, maxLength: 500, description: 'By which the provider knows us.' },
          clientSecretFile: {
            type: 'string',
            minLength: 1,
            description: 'A file that holds the secret that goes with it; none for a public client.',
          },
          scopes: {
            type: 'array',
            maxItems: 20,
            items: { type: 'string', format: 'scope', maxLength: 200 },
            contains: { const: 'openid' },
            default: ['openid', 'profile'],
            description: 'What the provider is asked for; `openid` must be among it.',
          },
          rolesClaim: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            description:
              'The claim whose values `roles` maps, such as `groups`; a JSON Pointer such as `/realm_access/roles` for one that lies deeper.',
          },
          roles: {
            type: 'object',
            maxProperties: 200,
            additionalProperties: {
              type: 'array',
              maxItems: 20,
              items: { type: 'string', format: 'role-name' },
            },
            default: {},
            description:
              'For each value of the claim the roles that it gives. What is not written here is given to nobody.',
          },
        },
      },
    },
  },
} as const
