/** Reads `--conditions` from the arguments of Node.js, so that the bundle resolves the same exports as this process. */
export function conditionsOf(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [, joined] = /^(?:--conditions|-C)=(.+)$/.exec(arg) ?? []
    if (joined !== undefined) return [joined]
    const next = args[at + 1]
    return (arg === '--conditions' || arg === '-C') && next !== undefined ? [next] : []
  })
}
