/** The steps of a JSON Pointer; digits are positions in an array. */
export function pathOfPointer(pointer: string): readonly (string | number)[] {
  return pointer.split('/').slice(1).map(stepOf)
}

function stepOf(step: string): string | number {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~')
  return /^\d+$/.test(text) ? Number(text) : text
}
