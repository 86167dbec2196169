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

/** Finds the source location of a schema error. Only possible when a single field has that name. */
function located([first = '', ...others]: readonly string[], folder: string): readonly string[] {
  const [, field] = /\bschema\.properties\.(?:spec|status)\.properties\.(\w+)/.exec(first) ?? []
  const places = field === undefined ? [] : placesOf(new RegExp(`\\b${field}:`), folder)
  const [place] = places
  return [place && places.length === 1 ? at(place, first) : first, ...others]
}

function placesOf(form: RegExp, folder: string) {
  return globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((text, index) => (form.test(text) ? [{ file, line: index + 1 }] : [])),
  )
}
