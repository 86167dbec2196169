/** An object that a package declares. */
export interface DeclaredObject {
  /** For error messages: `extensions/roles.yaml, document 2`. */
  readonly where: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
}
