export { serve, version } from './main.ts'
export type { ServeOptions } from './main.ts'
