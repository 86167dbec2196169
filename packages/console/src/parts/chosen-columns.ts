import type { Ref } from 'vue'

interface Headed {
  readonly key: string
  readonly title: string
}

interface Known<Column> {
  readonly columns: Readonly<Ref<readonly Column[]>>
  readonly offered: Readonly<Ref<readonly Column[]>>
  readonly titleField: Readonly<Ref<{ readonly path: string; readonly label: string } | undefined>>
}

/** The columns of a table: those of the model, or the title and the named ones. */
export function chosenColumns<Column extends Headed>(
  wanted: readonly (string | Column)[] | undefined,
  { columns, offered, titleField }: Known<Column>,
): readonly Column[] {
  if (!wanted) return columns.value
  const { path, label } = titleField.value ?? {}
  const isTitle = (one: string | Column) => ['title', path].includes(typeof one === 'string' ? one : one.key)
  const title = wanted.find(isTitle)
  // As the author heads it, else by the label of its field if the author lists it.
  const head = typeof title === 'object' ? title : title !== undefined && label !== undefined ? { title: label } : {}
  const titles = columns.value.filter(({ key }) => key === 'title').map((one) => ({ ...one, ...head, key: one.key }))
  const named = wanted.flatMap((one) => {
    if (isTitle(one)) return []
    return typeof one === 'string' ? (offered.value.find(({ key }) => key === one) ?? []) : [one]
  })
  return [...titles, ...named]
}
