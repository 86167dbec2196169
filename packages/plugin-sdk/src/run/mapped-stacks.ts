import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'

/**
 * Makes stack traces name the plugin's source files. Reads the source map with the first stack trace: Node's own option reads it
 * at startup, which took a quarter of the CPU of a start. Does nothing where that option is set.
 */
export function mapStacks(bundle: string): void {
  if (process.sourceMapsEnabled) return
  let map: SourceMap | undefined
  let isRead = false
  const located = (frame: NodeJS.CallSite) => {
    const shown = textOf(frame)
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()]
    if (frame.getFileName() !== bundle || line === null || column === null) return shown
    if (!isRead) map = readMap(bundle)
    isRead = true
    const origin = map?.findOrigin(line, column)
    if (!origin || !('fileName' in origin)) return shown
    return shown.replace(
      `${bundle}:${line}:${column}`,
      () => `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`,
    )
  }
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${located(frame)}`)].join('\n')
}

/** V8's own text of a frame: function, file, line and column. */
function textOf(frame: NodeJS.CallSite): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- its type does not say that it has a `toString` of its own
  return String(frame)
}

/** A missing or broken map must not hide the error whose stack is printed. */
function readMap(bundle: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${bundle}.map`), 'utf8')) as SourceMapPayload)
  } catch {
    return undefined
  }
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}
