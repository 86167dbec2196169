/** Whether an address is this machine's own, so that nobody can eavesdrop on the way. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
