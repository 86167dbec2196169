/** Texts and bytes in one buffer. Copies each once: a buffer for each text would cost twice as much for a list. */
export function joinBytes(parts: readonly (string | Buffer)[]): Buffer {
  let length = 0
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) at += typeof part === 'string' ? bytes.write(part, at) : part.copy(bytes, at)
  return bytes
}
