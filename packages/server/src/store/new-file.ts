import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'

/** Mode of files that contain all data. */
export const ownerOnly = 0o600

/** Creates a file atomically: it appears only when complete, and never replaces another. */
export async function writeNewFile(file: string, fill: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} already exists; choose another name`)
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
