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
  readonly requiredGroups?: readonly string[]
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
      description: 'Seconds that roles from a provider stay valid after a login; at most 30 days.',
    },
    providers: {
      type: 'array',
      maxItems: 20,
      default: [],
      description: 'OpenID Connect providers; each has the settings below.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'issuer', 'clientId'],
        properties: {
          name: {
            type: 'string',
            format: 'provider-name',
            description: 'Name of the provider, part of the redirect URL.',
          },
          displayName: { type: 'string', minLength: 1, maxLength: 100, description: 'Name that the login page shows.' },
          issuer: {
            type: 'string',
            format: 'issuer',
            maxLength: 500,
            description: 'Issuer URL of the provider. Issuer and subject together identify a user.',
          },
          clientId: { type: 'string', minLength: 1, maxLength: 500, description: 'Client ID at the provider.' },
          clientSecretFile: {
            type: 'string',
            minLength: 1,
            description: 'File with the client secret; not set for a public client.',
          },
          scopes: {
            type: 'array',
            maxItems: 20,
            items: { type: 'string', format: 'scope', maxLength: 200 },
            contains: { const: 'openid' },
            default: ['openid', 'profile'],
            description: 'Scopes to request; must contain `openid`.',
          },
          rolesClaim: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            description:
              'Claim whose values `roles` maps and `requiredGroups` names, such as `groups`, or a JSON Pointer such as `/realm_access/roles` to a nested claim.',
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
            description: 'Roles to grant for each value of the claim. Other values grant no role.',
          },
          requiredGroups: {
            type: 'array',
            minItems: 1,
            maxItems: 200,
            items: { type: 'string', minLength: 1, maxLength: 200 },
            description:
              'Values of the claim, one of which a user must have at each login; without this setting, everybody whom the provider knows can sign in.',
          },
        },
      },
    },
  },
} as const
