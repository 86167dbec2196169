import { NamedClient } from './named-client.ts'

/**
 * For a pooler in transaction mode that does not keep named statements: the next transaction may run on another connection,
 * which does not have them.
 */
export class UnnamedClient extends NamedClient {
  protected override readonly keepsStatements = false
}
