type Texts = readonly string[]

/** Why access is allowed or denied: every code with its values. */
export interface AccessReasonValues {
  /** The role that the caller holds; through a binding, if known. */
  readonly held: { readonly role: string; readonly binding?: string }
  /** From the held role to the role with the rule; `by` and `roles` have one entry for each step. */
  readonly path: { readonly role: string; readonly by: Texts; readonly roles: Texts }
  /** What the rule allows. */
  readonly rule: {
    readonly verbs: Texts
    readonly resources?: Texts
    readonly names?: Texts
    readonly paths?: Texts
    readonly groups?: Texts
  }
  /** The closest rule, and the parts of the request that it does not cover. */
  readonly nearest: AccessReasonValues['rule'] & { readonly role: string; readonly misses: Texts }
  readonly 'no-role': Readonly<Record<string, never>>
  /** No rule of these roles relates to the request. */
  readonly 'no-rule-near': { readonly roles: Texts }
  /** The role has a rule that this host does not understand; such a rule allows nothing. */
  readonly 'unknown-rule': { readonly role: string }
  /** The rights of the role come with a plugin that is not enabled. */
  readonly 'role-of-plugin': { readonly role: string; readonly plugin: string }
  /** Role templates that would allow the request; none when empty. */
  readonly templates: { readonly templates: Texts }
}

export type AccessReasonCode = keyof AccessReasonValues

export type AccessReason = {
  readonly [Code in AccessReasonCode]: { readonly code: Code; readonly values: AccessReasonValues[Code] }
}[AccessReasonCode]
