import { Client, type QueryConfig } from 'pg'

/**
 * For a pooler in transaction mode that does not keep named statements: the next transaction may run on another connection,
 * which does not have them. Our only subclass besides errors, because it is the driver's extension point.
 */
export class UnnamedClient extends Client {
  // The driver's query has a dozen overloads; all arguments are passed on, without the name.
  override readonly query = ((config: unknown, ...rest: unknown[]) => {
    const hasName = typeof config === 'object' && config !== null && 'name' in config && 'text' in config
    const unnamed: unknown = hasName ? { ...(config as QueryConfig), name: undefined } : config
    return (super.query as (...given: unknown[]) => unknown)(unnamed, ...rest)
  }) as Client['query']
}
