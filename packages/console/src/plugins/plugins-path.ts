import { consoleApi } from '../server/client.ts'

/** Path for packages and for actions on a plugin. */
export const pluginsPath = `${consoleApi}/plugins`
