import { parentPort } from 'node:worker_threads'
import { PackageFault, unpackArchive, type UnpackedArchive } from './unpack-archive.ts'

export type UnpackReply = { readonly archive: UnpackedArchive } | { readonly fault: string }

parentPort?.on('message', (bytes: Uint8Array) => void reply(bytes))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('loaded')

/** Other errors end the thread. */
async function reply(bytes: Uint8Array): Promise<void> {
  const answer = await unpackArchive(bytes).then(
    (archive): UnpackReply => ({ archive }),
    (error: unknown): UnpackReply => {
      if (error instanceof PackageFault) return { fault: error.message }
      throw error
    },
  )
  const contents = 'archive' in answer ? [...answer.archive.files.values()] : []
  parentPort?.postMessage(
    answer,
    contents.map(({ buffer }) => buffer),
  )
}
