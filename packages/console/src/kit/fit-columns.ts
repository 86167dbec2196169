interface Sized {
  readonly width?: number | undefined
}

const usualWidth = 140
const titleWidth = 220

/** As many columns as fit: the last goes first, and the first column, what the row is called, never. */
export function fittingColumns<Column extends Sized>(columns: readonly Column[], room: number): readonly Column[] {
  const [title, ...others] = columns
  if (!title) return []
  let left = room - (title.width ?? titleWidth)
  const fitting = others.filter(({ width = usualWidth }) => {
    left -= width
    return left >= 0
  })
  return [title, ...fitting]
}
