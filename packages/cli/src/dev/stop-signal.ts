/** Ctrl-C may arrive twice, through the terminal and through npm. Only a later one is a second request to stop. */
const sameSignalMs = 500
const parentCheckMs = 250

/**
 * Aborted by the first SIGINT, SIGTERM or SIGHUP, when stdout closes, or, with `endsWithParent`, when the parent process has
 * ended. A second signal ends the process at once.
 */
export function stopSignal({ endsWithParent }: { readonly endsWithParent: boolean }): AbortSignal {
  const stopping = new AbortController()
  let since: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      since ??= performance.now()
      if (performance.now() - since > sameSignalMs) process.exit(1)
      stopping.abort()
    })
  }
  process.stdout.on('error', () => stopping.abort())
  const parent = process.ppid
  const check = () => process.ppid !== parent && stopping.abort()
  if (endsWithParent) setInterval(check, parentCheckMs).unref()
  return stopping.signal
}
