/** Ctrl-C may reach a process twice, through its terminal and through npm; only a later one is from somebody in a hurry. */
const sameSignalMs = 500

/** Aborted by the first word to stop, or when nobody reads any more. A second word ends the process at once. */
export function stopSignal(): AbortSignal {
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
  return stopping.signal
}
