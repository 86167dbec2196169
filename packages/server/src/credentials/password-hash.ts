import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The minimum that OWASP recommends: 19 MiB and two passes, some 50 ms. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32
const algorithm = 'argon2id'
const derive = promisify(argon2)

/** In PHC format, which includes the cost parameters: the cost can rise while older hashes stay valid. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(algorithm, { ...cost, message: password, nonce, tagLength })
  const { memory, passes, parallelism } = cost
  return `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(tag)}`
}

/** Without a stored hash, verifies a dummy hash so that timing does not reveal missing users; returns false. */
export async function isPassword(password: string, hashed: string | undefined): Promise<boolean> {
  const { nonce, tag, ...made } = parts(hashed ?? nobodys)
  const given = await derive(algorithm, { ...made, message: password, nonce, tagLength: tag.length })
  return timingSafeEqual(given, tag) && hashed !== undefined
}

const nobodys = `$${algorithm}$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

const notation = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

function parts(hashed: string) {
  const [, memory, passes, parallelism, nonce, tag] = notation.exec(hashed) ?? []
  if (nonce === undefined || tag === undefined) throw new Error('a stored password hash cannot be read')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
