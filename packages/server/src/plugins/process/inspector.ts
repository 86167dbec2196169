import type { Running } from './running.ts'

type Inspected = Pick<Running, 'pid' | 'exited'>

/** One port for debuggers, handed on from process to process. */
export interface Inspector {
  /** With which Node.js is started, so that it can be looked into later. */
  readonly words: readonly string[]
  /** The process is healthy, and to be looked into as soon as the one before it has ended. */
  attend(running: Inspected): void
}

/**
 * Two processes cannot listen on one port, and for a while there are two: the version that answers, and the one that is prepared.
 * So none opens it by itself. The newest is told to when the one that has it ends, by the signal that Node.js knows for this.
 */
export function createInspector(port: number, open: (pid: number) => void = openInspector): Inspector {
  const attended: Inspected[] = []
  let holder: Inspected | undefined
  const handOn = () => {
    holder = attended.at(-1)
    if (holder) open(holder.pid)
  }
  const leave = (running: Inspected) => {
    attended.splice(attended.indexOf(running), 1)
    if (holder === running) handOn()
  }
  return {
    words: [`--inspect-port=127.0.0.1:${port}`],
    attend: (running) => {
      attended.push(running)
      if (!holder) handOn()
      void running.exited.then(() => leave(running))
    },
  }
}

/** A process that has ended in all but name: Node.js keeps it for as long as a debugger looks at it. */
export function hasOnlyDebuggerLeft(line: string): boolean {
  return line.startsWith('Waiting for the debugger to disconnect')
}

function openInspector(pid: number): void {
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    // It has ended meanwhile, which is told in another way.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
