type Texts = readonly string[]

/** What a health check finds: every code with its values. */
export interface HealthValues {
  readonly accepting: { readonly version: string; readonly replica: string }
  readonly stopping: Readonly<Record<string, never>>
  /** `details` is of the driver, and only in English. */
  readonly database: { readonly store: string; readonly schema: number; readonly details: string }
  readonly 'secrets-readable': { readonly keys: Texts }
  /** `counts[i]` secrets need the key `missing[i]`, which is not among `keys`. */
  readonly 'secrets-locked': { readonly missing: Texts; readonly counts: Texts; readonly keys: Texts }
  readonly oidc: { readonly providers: Texts }
  /** Roles that providers give, and that do not exist. */
  readonly 'oidc-roles-missing': { readonly roles: Texts }
  /** The state is only in English. */
  readonly feed: { readonly state: string }
  readonly 'plugins-starting': Readonly<Record<string, never>>
  /** `uid`: each plugin has an account of its own. */
  readonly plugins: { readonly isolation: 'uid' | 'shared'; readonly root: 'yes' | 'no' }
  /** Any other failure; the detail is only in English. */
  readonly failed: { readonly detail: string }
}

export type HealthCode = keyof HealthValues

export type HealthFinding = {
  readonly [Code in HealthCode]: { readonly code: Code; readonly values: HealthValues[Code] }
}[HealthCode]
