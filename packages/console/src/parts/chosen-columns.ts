import type { Ref } from 'vue'

interface Known<Column> {
  readonly columns: Readonly<Ref<readonly Column[]>>
  readonly offered: Readonly<Ref<readonly Column[]>>
}

/** The columns of a table: those of the model, or the named ones after its title. */
export function chosenColumns<Column extends { readonly key: string }>(
  wanted: readonly (string | Column)[] | undefined,
  { columns, offered }: Known<Column>,
): readonly Column[] {
  if (!wanted) return columns.value
  const named = wanted.flatMap((one) =>
    typeof one === 'string' ? (offered.value.find(({ key }) => key === one) ?? []) : [one],
  )
  return [...columns.value.filter(({ key }) => key === 'title'), ...named]
}
