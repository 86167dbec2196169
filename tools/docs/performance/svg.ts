/** Width of every chart, in pixels of its own. */
export const width = 760

export interface Chart {
  /** Also the alternative text of the picture. */
  readonly title: string
  readonly description: string
  readonly height: number
  readonly content: readonly string[]
}

/**
 * A file that is legible alone, on light and dark ground; the site replaces its style by that of the theme. Its colours are
 * those of `.chart` in `docs/.vitepress/theme/style.css`.
 */
export function svgFile({ title, description, height, content }: Chart): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${pixels(height)}" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">`,
    `  <title>${escaped(title)}</title>`,
    `  <desc>${escaped(description)}</desc>`,
    '  <style>',
    '    svg { color: #1d2521; background: #fdfdfb }',
    '    .ours { color: #0b6e4f }',
    '    .other { color: #6b756f }',
    '    .quiet { color: #5f6a63 }',
    '    .rule { color: #d3d8cf }',
    '    @media (prefers-color-scheme: dark) {',
    '      svg { color: #e4e9e5; background: #141816 }',
    '      .ours { color: #5ad1a5 }',
    '      .other { color: #9aa59e }',
    '      .quiet { color: #96a199 }',
    '      .rule { color: #39423c }',
    '    }',
    '  </style>',
    '  <g class="chart">',
    ...content.map((line) => `    ${line}`),
    '  </g>',
    '</svg>',
    '',
  ].join('\n')
}

interface TextOptions {
  readonly x: number
  /** Of the baseline. */
  readonly y: number
  readonly anchor?: 'middle' | 'end'
  readonly bold?: boolean
  readonly size?: number
  readonly kind?: 'ours' | 'other' | 'quiet'
}

export function svgText(words: string, { x, y, anchor, bold = false, size, kind }: TextOptions): string {
  const attributes = [
    ...(kind ? [`class="${kind}"`] : []),
    `x="${pixels(x)}" y="${pixels(y)}"`,
    ...(anchor ? [`text-anchor="${anchor}"`] : []),
    ...(bold ? ['font-weight="600"'] : []),
    ...(size ? [`font-size="${size}"`] : []),
    'fill="currentColor"',
  ]
  return `<text ${attributes.join(' ')}>${escaped(words)}</text>`
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly kind: 'ours' | 'other'
  readonly opacity: number
}

export function svgBar({ x, y, width: wide, height, kind, opacity }: Box): string {
  return `<rect class="${kind}" x="${pixels(x)}" y="${pixels(y)}" width="${pixels(wide)}" height="${pixels(height)}" fill="currentColor" fill-opacity="${opacity}" />`
}

/** A line through the points, for example `M0 0L10 5`. */
export function svgLine(
  path: string,
  options: { readonly kind?: 'ours' | 'rule'; readonly width?: number } = {},
): string {
  const { kind, width: thick = 1 } = options
  return `<path${kind ? ` class="${kind}"` : ''} d="${path}" fill="none" stroke="currentColor" stroke-width="${thick}" stroke-linejoin="round" />`
}

export function pixels(value: number): string {
  return String(Number(value.toFixed(1)))
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
