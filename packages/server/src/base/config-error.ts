/** A configuration that cannot be used: one line a fault, each naming where it stands and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
