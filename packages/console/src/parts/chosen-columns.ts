import type { Ref } from 'vue'
import { words } from '../words/words.ts'

interface Titled {
  readonly key: string
  readonly title: string
  readonly width?: number | undefined
}

/** Wide enough for the sentence. */
const missingWidth = 280

interface Known<Column> {
  readonly columns: Readonly<Ref<readonly Column[]>>
  readonly offered: Readonly<Ref<readonly Column[]>>
}

/** The columns of a table: those of the model, or the named ones after its title. The head of one that does not exist says so. */
export function chosenColumns<Column extends Titled>(
  wanted: readonly (string | Column)[] | undefined,
  { columns, offered }: Known<Column>,
): readonly (Column | Titled)[] {
  if (!wanted) return columns.value
  const named = wanted.flatMap((one) => {
    if (typeof one !== 'string') return [one]
    // While the model is read, no column is known.
    const missing =
      offered.value.length > 0 ? { key: one, title: words.value.page.noColumn(one), width: missingWidth } : []
    return offered.value.find(({ key }) => key === one) ?? missing
  })
  return [...columns.value.filter(({ key }) => key === 'title'), ...named]
}
