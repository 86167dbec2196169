/** Whether an address is this machine's own, so that traffic cannot be intercepted. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
