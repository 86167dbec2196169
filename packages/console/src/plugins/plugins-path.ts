import { consoleApi } from '../server/client.ts'

/** Where packages go, and what is done with a plugin as a whole. */
export const pluginsPath = `${consoleApi}/plugins`
