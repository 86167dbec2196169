import { existsSync } from 'node:fs'

/** Part of util-linux, which every Linux has. */
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file))
const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file))
/** The kernel counts threads; Node.js has a dozen. */
const threadsEach = 16

/**
 * The command that starts a program so that the kernel kills it when the host exits, whatever it is doing: a program that spins
 * would not notice a request. Returns the command unchanged where the system lacks this.
 */
export function dyingWithUs(command: readonly string[]): readonly string[] {
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command]
}

/** Makes the kernel limit the processes of an account: polling their number would be too late. */
export function boundedTo(processes: number, command: readonly string[]): readonly string[] {
  return prlimit === undefined ? command : [prlimit, `--nproc=${processes * threadsEach}`, '--', ...command]
}
