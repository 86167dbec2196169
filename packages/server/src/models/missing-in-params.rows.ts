/** Quoted punctuation and keywords are the same in every language. */
const fixed = /^(?:[^\p{L}\p{N}]|contains)$/u

/** Numbers and quoted words of a message that are missing in the params. */
export function missingInParams(message: string, params: unknown): readonly string[] {
  const told = new Set(valuesIn(params))
  const words = [...message.matchAll(/"([^"]+)"|(?<![\w.-])(\d+)(?![\w.-])/g)].map(
    ([, quoted, number]) => quoted ?? number,
  )
  return words.filter((word) => word !== undefined).filter((word) => !fixed.test(word) && !told.has(word))
}

function valuesIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesIn)
  return [String(value), ...String(value).split('.')]
}
