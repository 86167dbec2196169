import type { Running } from './running.ts'

type Inspected = Pick<Running, 'pid' | 'exited'>

/** One debugger port, passed from process to process. */
export interface Inspector {
  /** Node.js arguments that allow the inspector to be opened later, and make errors quote the line of the source. */
  readonly words: readonly string[]
  /** Registers a healthy process, to be inspected as soon as the previous one has exited. */
  attend(running: Inspected): void
}

/**
 * Two processes cannot listen on one port, and for a while there are two: the active version and the next one. So none
 * opens the port by itself. When the process that has it exits, the newest gets the signal that makes Node.js open
 * the inspector.
 */
export function createInspector(port: number, open: (pid: number) => void = openInspector): Inspector {
  const attended: Inspected[] = []
  let holder: Inspected | undefined
  const passPort = () => {
    holder = attended.at(-1)
    if (holder) open(holder.pid)
  }
  const leave = (running: Inspected) => {
    attended.splice(attended.indexOf(running), 1)
    if (holder === running) passPort()
  }
  return {
    words: [`--inspect-port=127.0.0.1:${port}`, '--enable-source-maps'],
    attend: (running) => {
      attended.push(running)
      if (!holder) passPort()
      void running.exited.then(() => leave(running))
    },
  }
}

/** The process has finished, but Node.js keeps it alive while a debugger is attached. */
export function hasOnlyDebuggerLeft(line: string): boolean {
  return line.startsWith('Waiting for the debugger to disconnect')
}

function openInspector(pid: number): void {
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    // The process has exited meanwhile; that is reported elsewhere.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
