import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Processes that were started from the folder of a plugin, or in it, whatever they have made of themselves since; of a host with
 * this directory for temporary files, or of any.
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
