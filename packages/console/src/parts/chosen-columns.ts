import type { Ref } from 'vue'
import { words } from '../words/words.ts'

interface Headed {
  readonly key: string
  readonly title: string
  readonly width?: number | undefined
}

/** Wide enough for the sentence. */
const missingWidth = 280

interface Known<Column> {
  readonly columns: Readonly<Ref<readonly Column[]>>
  readonly offered: Readonly<Ref<readonly Column[]>>
  readonly titleField: Readonly<Ref<{ readonly path: string; readonly label: string } | undefined>>
}

/** The columns of a table: those of the model, or the title and the named ones. The head of one that does not exist says so. */
export function chosenColumns<Column extends Headed>(
  wanted: readonly (string | Column)[] | undefined,
  { columns, offered, titleField }: Known<Column>,
): readonly (Column | Headed)[] {
  if (!wanted) return columns.value
  const { path, label } = titleField.value ?? {}
  const isTitle = (one: string | Column) => ['title', path].includes(typeof one === 'string' ? one : one.key)
  const title = wanted.find(isTitle)
  // As the author heads it, else by the label of its field if the author lists it.
  const head = typeof title === 'object' ? title : title !== undefined && label !== undefined ? { title: label } : {}
  const titles = columns.value.filter(({ key }) => key === 'title').map((one) => ({ ...one, ...head, key: one.key }))
  const named = wanted.flatMap((one) => {
    if (isTitle(one)) return []
    if (typeof one !== 'string') return [one]
    // While the model is read, no column is known.
    const missing =
      offered.value.length > 0 ? { key: one, title: words.value.page.noColumn(one), width: missingWidth } : []
    return offered.value.find(({ key }) => key === one) ?? missing
  })
  return [...titles, ...named]
}
