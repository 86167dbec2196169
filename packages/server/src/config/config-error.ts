/** An unusable configuration: one line per error, each with its location and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
