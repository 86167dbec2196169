import type { PlanItem, PlanItemCode, PlanItemOf, PlanSectionCode } from '@pergola/api'
import { plans as en, type PlanSentence, type PlanWords } from '../words/en/plans.ts'
import type { Language } from '../words/words.ts'
import { plans as zh } from '../words/zh/plans.ts'

/** Loaded separately from the other words, because only plugin pages need them. */
export const planWords: Readonly<Record<Language, PlanWords>> = { en, zh }

export interface PlacedItem {
  readonly section: PlanSectionCode
  readonly item: PlanItem
}

/** The sentence of an item, without the grantee. */
export function sentenceOf({ section, item }: PlacedItem, language: Language): PlanSentence {
  return told(planWords[language], section, item)
}

/** The sentence of an item, with the grantee. */
export function wholeSentenceOf(placed: PlacedItem, language: Language): PlanSentence {
  const words = planWords[language]
  const sentence = sentenceOf(placed, language)
  const who = holderOf(placed, words)
  return who === undefined ? sentence : { ...sentence, text: words.whose(who, sentence.text) }
}

function told<Code extends PlanItemCode>(
  words: PlanWords,
  section: PlanSectionCode,
  item: PlanItemOf<Code>,
): PlanSentence {
  return words.items[item.code](item, section)
}

const ofRole: ReadonlySet<PlanItemCode> = new Set(['resource', 'url', 'owned', 'route', 'includes-role'])

function holderOf({ section, item }: PlacedItem, words: PlanWords): string | undefined {
  if (!ofRole.has(item.code) && item.code !== 'app') return undefined
  if (section === 'signed-in') return words.everybody
  if (section === 'unreached') return words.superAdministrators
  return section === 'roles' ? roleOf(item)?.title : undefined
}

/** The plugin's role that an item belongs to. */
export function roleOf({ values }: PlanItem): { readonly name: string; readonly title: string } | undefined {
  if (!('role' in values) || values.role === undefined) return undefined
  const title = 'displayName' in values ? values.displayName : undefined
  return { name: values.role, title: title ?? values.role }
}
