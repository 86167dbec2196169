/** `Ann Berger` as `AB`, `ann` as `AN`, `李伟` as `李伟`. */
export function initialsOf(name: string): string {
  const parts = name.split(/[\s._-]+/u).filter((part) => part !== '')
  const [first = '', ...others] = parts
  const last = others.at(-1)
  const letters = last === undefined ? Array.from(first).slice(0, 2) : [Array.from(first)[0], Array.from(last)[0]]
  return letters.join('').toUpperCase()
}
