import type { Words } from './en.ts'
import { access } from './zh/access.ts'
import { models } from './zh/models.ts'
import { home } from './zh/home.ts'
import { plugins } from './zh/plugins.ts'
import { problems } from './zh/problems.ts'
import { shell } from './zh/shell.ts'

export const zh: Words = { ...shell, ...home, ...models, ...access, ...plugins, ...problems }
