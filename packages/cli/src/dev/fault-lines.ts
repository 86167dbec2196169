import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at } from '../plugin/author-fault.ts'

/** Maximum number of lines shown. */
const mostLines = 12

/**
 * Formats an error of a host or plugin for the author: the location in the plugin's code first, no foreign stack frames, paths
 * relative to the folder.
 */
export function faultLines(message: string, folder: string): readonly string[] {
  const all = shortPaths(message, folder).split('\n')
  const lines = withoutExcerpts(all).filter((line) => line.trim() !== '' && !isForeignFrame(line) && !ofNode.test(line))
  const frame = lines.findIndex((line) => isFrame(line))
  if (frame < 0) return located(lines.slice(0, mostLines), folder)
  const { file = '', line } = /(?<file>[^\s()]+?):(?<line>\d+):\d+\)?$/.exec(lines[frame] ?? '')?.groups ?? {}
  const error =
    lines.findLast((text, index) => index < frame && /^\s*(Uncaught )?\w*Error\b/.test(text)) ?? lines[0] ?? ''
  const others = lines.filter((text, index) => index !== frame && text !== error)
  return [at({ file, line: Number(line) }, error.trim()), ...others].slice(0, mostLines)
}

/** Shortens absolute paths to `src/plugin.ts`. */
export function shortPaths(text: string, folder: string): string {
  return text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '')
}

const ofNode = /^\s*Node\.js v\d/

/** Removes the source excerpt that Node.js prints before the message; the stack repeats the location. */
function withoutExcerpts(lines: readonly string[]): readonly string[] {
  const caret = lines.findIndex((line) => /^\s*\^+\s*$/.test(line))
  if (caret < 0) return lines
  const begin = lines.findLastIndex((line, index) => index < caret && /^\s*\S+:\d+$/.test(line))
  return begin < 0 ? lines : [...lines.slice(0, begin), ...withoutExcerpts(lines.slice(caret + 1))]
}

function isFrame(line: string): boolean {
  return /^\s+at .*:\d+:\d+\)?$/.test(line)
}

/** True for stack frames of Node.js, the SDK and installed packages. */
function isForeignFrame(line: string): boolean {
  return /^\s+at /.test(line) && (!isFrame(line) || /^(node:|file:|\/|\.\.\/|.*node_modules\/)/.test(placeIn(line)))
}

function placeIn(line: string): string {
  return /\(([^()]+)\)$/.exec(line)?.[1] ?? line.trim().replace(/^at (async )?/, '')
}

const schemaPath = /\bspec\.versions\[\d+\]\.schema\.properties\.((?:spec|status)\.properties\.[\w.[\]]+)/

/** Finds the source location of a schema error. Only possible when one line has such a field, or such a field and keyword. */
function located([line = '', ...others]: readonly string[], folder: string): readonly string[] {
  const first = unpacked(line)
  const [whole = '', path = ''] = schemaPath.exec(first) ?? []
  if (whole === '') return [first, ...others]
  const [root = '', ...names] = path.split('.').filter((name) => name !== 'properties')
  const told = first.replace(whole, [root, ...names].join('.'))
  const [field = '', keyword = ''] = [names[0], names.at(-1)]
  const places = linesWith(field, folder)
  const exact = places.filter(({ text }) => hasKey(text, keyword))
  const [place] = places.length === 1 ? places : exact
  return [place && (places.length === 1 || exact.length === 1) ? at(place, told) : told, ...others]
}

/** Refers to the source instead of the package. */
function unpacked(message: string): string {
  return message
    .replace(/^the package cannot be used: /, '')
    .replace(/; correct the model and pack the plugin again$/, '')
}

function linesWith(key: string, folder: string) {
  return globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((text, index) => (hasKey(text, key) ? [{ file, line: index + 1, text }] : [])),
  )
}

function hasKey(text: string, key: string): boolean {
  return text.split(/[^\w$:]+/).includes(`${key.replace(/\W.*$/, '')}:`)
}
