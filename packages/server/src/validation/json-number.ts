/**
 * What is lost when a number is read as a double, given its JSON text. Nothing for 1.0, 1E2 and 0.10, which are other spellings
 * of the same decimal number, nor for -0: it is stored as 0.
 */
export function numberFault(text: string): string | undefined {
  const value = Number(text)
  // Beyond it, every double is a whole number or infinite, however it is spelled.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return `beyond ±${Number.MAX_SAFE_INTEGER}`
  const kept = String(value)
  if (kept === text || decimal(kept) === decimal(text)) return undefined
  return `which would be stored as ${kept}`
}

/** A canonical form of a decimal number without its sign: significant digits and a power of ten. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`
  let first = 0
  while (digits[first] === '0' || digits[first] === '-') first++
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end--
  return first === end ? '0' : `${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}
