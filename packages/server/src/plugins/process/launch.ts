import { existsSync } from 'node:fs'

/** Of util-linux, which every Linux has. */
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file))
const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file))
/** The kernel counts threads; Node.js has a dozen. */
const threadsEach = 16

/**
 * The words that start a program so that the kernel ends it when we end, whatever the program is doing then: asking it to
 * notice would not help against one that spins. As they are where the system has no such way.
 */
export function dyingWithUs(command: readonly string[]): readonly string[] {
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command]
}

/** So that the kernel lets an account have only so many processes: somebody who counts them now and then comes late. */
export function boundedTo(processes: number, command: readonly string[]): readonly string[] {
  return prlimit === undefined ? command : [prlimit, `--nproc=${processes * threadsEach}`, '--', ...command]
}
