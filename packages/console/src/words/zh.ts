import type { Words } from './en.ts'
import { access } from './zh/access.ts'
import { models } from './zh/models.ts'
import { overview } from './zh/overview.ts'
import { plugins } from './zh/plugins.ts'
import { shell } from './zh/shell.ts'

export const zh: Words = { ...shell, ...overview, ...models, ...access, ...plugins }
