/** The first match counts, because most browsers also name others in their user agent. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /\bSafari\//],
]
const systems: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['macOS', /\bMacintosh\b/],
  ['Windows', /\bWindows\b/],
  ['Linux', /\bLinux\b/],
]
const longest = 60

/** Browser and system from a user agent; the beginning of an unknown one. */
export function deviceOf(agent: string): string {
  const [browser, system] = [browsers, systems].map((known) => known.find(([, pattern]) => pattern.test(agent))?.[0])
  if (browser === undefined) return agent.length > longest ? `${agent.slice(0, longest)}…` : agent
  return system === undefined ? browser : `${browser} · ${system}`
}
