interface Sized {
  readonly width?: number | undefined
}

const usualWidth = 140
const mostWidth = 240
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

/** Shares the free room among the title and the columns without a width of their own. */
export function columnWidths(columns: readonly Sized[], room: number): readonly number[] {
  const [title, ...others] = columns
  const least = others.reduce((sum, { width = usualWidth }) => sum + width, title?.width ?? titleWidth)
  const sharing = 1 + others.filter(({ width }) => width === undefined).length
  const share = Math.max(0, Math.floor((room - least) / sharing))
  return columns.map(({ width }) => width ?? Math.min(mostWidth, usualWidth + share))
}
