/** A bundle takes the same exports of a package as the process that is started with these words does. */
export function conditionsOf(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [, joined] = /^(?:--conditions|-C)=(.+)$/.exec(arg) ?? []
    if (joined !== undefined) return [joined]
    const next = args[at + 1]
    return (arg === '--conditions' || arg === '-C') && next !== undefined ? [next] : []
  })
}
