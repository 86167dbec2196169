import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Finds processes started from or in the folder of a plugin, even if they changed their name or group; of the host with
 * this temporary directory, or of any host.
 */
export function processesOf(plugin: string, directory = ''): readonly number[] {
  const folder = `${directory}/pergola-${plugin}-`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(folder) || folderOf(pid).includes(folder))
    .map(Number)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
