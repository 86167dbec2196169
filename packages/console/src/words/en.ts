import { access } from './en/access.ts'
import { models } from './en/models.ts'
import { home } from './en/home.ts'
import { plugins } from './en/plugins.ts'
import { problems } from './en/problems.ts'
import { shell } from './en/shell.ts'

/** Grouped by folder of the console. */
export const en = { ...shell, ...home, ...models, ...access, ...plugins, ...problems }

type Wide<Text> = Text extends string
  ? string
  : Text extends (...given: infer Given) => string | undefined
    ? (...given: Given) => ReturnType<Text>
    : { readonly [Key in keyof Text]: Wide<Text[Key]> }

/** The type that every language implements. */
export type Words = Wide<typeof en>
/** One group of it. */
export type WordsOf<Room> = Wide<Room>
