import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Configuration } from '../config/read-configuration.ts'
import { looseFiles, looseFileWords, tightening } from '../config/loose-files.ts'
import type { Check, Finding } from './finding.ts'

const mebibyte = 1024 * 1024
const little = { bytes: 2 * 1024 * mebibyte, share: 0.1 }
const least = { bytes: 200 * mebibyte, share: 0.01 }

/** Rights to files, and space on the disks that this configuration uses. */
export function machineChecks(configuration: Configuration): readonly Check[] {
  return [
    { name: 'files', run: async () => fileFindings(configuration), lateAdvice: 'df -h  shows a disk that hangs' },
    {
      name: 'disk',
      run: async () => (await Promise.all(foldersOf(configuration).map(diskFindings))).flat(),
      lateAdvice: 'df -h  shows a disk that hangs',
    },
  ]
}

function fileFindings({ config, file }: Configuration): readonly Finding[] {
  const name = 'files'
  const loose = looseFiles(config, file)
  if (loose.length === 0) return [{ level: 'ok', name, words: 'no other account can read secrets or change settings' }]
  return loose.map((one) => ({
    level: one.can === 'change' ? 'failed' : 'warn',
    name,
    words: looseFileWords(one),
    advice: tightening(one),
  }))
}

/** What each folder is for, by folder: those of one disk are told apart by their use. */
function foldersOf({ config }: Configuration): readonly (readonly [use: string, folder: string])[] {
  const { database, audit } = config
  return [
    ...(database.url.startsWith('sqlite:')
      ? [['database', dirname(resolve(database.url.slice('sqlite:'.length)))] as const]
      : []),
    ...(audit.file === undefined ? [] : [['audit log', dirname(resolve(audit.file))] as const]),
    ['plugins', tmpdir()],
  ]
}

async function diskFindings([use, folder]: readonly [use: string, folder: string]): Promise<readonly Finding[]> {
  const name = 'disk'
  if (!existsSync(folder)) {
    return [{ level: 'failed', name, words: `${use}: ${folder} does not exist`, advice: `mkdir -p ${folder}` }]
  }
  const { bavail, blocks, bsize } = await statfs(folder)
  return [diskFinding(`${use}: ${folder}`, { free: bavail * bsize, size: blocks * bsize })]
}

export function diskFinding(what: string, { free, size }: { readonly free: number; readonly size: number }): Finding {
  const name = 'disk'
  const words = `${what}: ${sizeWords(free)} of ${sizeWords(size)} are free`
  const isBelow = (limit: typeof little) => free < limit.bytes && free < limit.share * size
  const folder = what.slice(what.indexOf(': ') + 2)
  const advice = `free space; du -xh -d 1 ${folder} | sort -h  shows what takes it`
  if (isBelow(least)) return { level: 'failed', name, words, advice }
  return isBelow(little) ? { level: 'warn', name, words, advice } : { level: 'ok', name, words }
}

function sizeWords(bytes: number): string {
  const mebibytes = bytes / mebibyte
  return mebibytes < 1024 ? `${Math.floor(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`
}
