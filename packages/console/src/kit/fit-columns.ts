interface Sized {
  readonly width?: number | undefined
}

const usualWidth = 140
const titleWidth = 220

/** Hides columns that do not fit, from the last one; never the first, the title. */
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
