import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'

/** Of files with everything in them. */
export const ownerOnly = 0o600

/** A file that is there when it is whole, and not before; never in the place of another. */
export async function writeNewFile(file: string, fill: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} is there already; choose another name`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  closeSync(openSync(part, 'wx', ownerOnly))
  try {
    await fill(part)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}
