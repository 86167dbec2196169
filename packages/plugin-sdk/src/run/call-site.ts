/** Where the plugin's code called something. The text is made only when it is read. */
export interface CallSite {
  readonly stack?: string
}

/** Shared by all copies of this package in a bundle. */
const key = Symbol.for('pergola.callSite')

/** The present position, without `above` and what it called. */
export function callSite(above: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {}
  Error.captureStackTrace(site, above)
  return site
}

/** The stack of an error that comes with an answer of the host often ends before the plugin's code; this adds where it began. */
export function addSite(error: unknown, site: CallSite): void {
  if (error instanceof Error) Object.defineProperty(error, key, { value: site, configurable: true })
}

/** Stack frames of the call that led to the error, if they are known and not in its stack. */
export function siteFrames(error: Error): readonly string[] {
  const { [key]: site } = error as { readonly [key]?: CallSite }
  const [, ...frames] = site?.stack?.split('\n') ?? []
  const [first] = frames
  return first === undefined || error.stack?.includes(first) ? [] : frames
}
