import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { token } from './server-process.ts'
import type { Line } from './sender.ts'

const folder = 'node_modules/.cache/fuzz'
/** A longer body goes to a file. */
const maxShownBody = 300
/** Number of examples shown for each fault. */
const maxExamples = 2

interface Finding {
  readonly fault: string
  readonly what: string
  count: number
  readonly examples: string[]
}

/** Equal faults of equal requests are one finding. */
export class Findings {
  readonly #url: string
  readonly #found = new Map<string, Finding>()

  constructor(url: string) {
    this.#url = url
  }

  get size(): number {
    return this.#found.size
  }

  add(fault: string, request: { readonly what: string; readonly line?: Line }): void {
    const what = request.what.replace(/ at .*/, '')
    const key = `${fault.slice(0, 80)} ${what}`
    const finding = this.#found.get(key) ?? { fault, what, count: 0, examples: [] }
    this.#found.set(key, finding)
    finding.count++
    if (request.line && finding.examples.length < maxExamples) {
      finding.examples.push(curl(this.#url, request.line, `${this.#found.size}-${finding.count}`))
    }
  }

  show(print: (line: string) => void): void {
    for (const { fault, what, count, examples } of this.#found.values()) {
      print(`FINDING ${what}: ${fault} (${count} times)`)
      for (const example of examples) print(`  ${example}`)
    }
  }
}

/** The request as a shell command. */
function curl(url: string, { method, path, headers, body, anonymous }: Line, file: string): string {
  const all = { ...(anonymous !== true && { authorization: `Bearer ${token}` }), ...headers }
  const sent = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `-H ${quoted(`${name}: ${one}`)}`),
  )
  const data = body ? [`--data-binary ${dataOf(body, file)}`] : []
  const target = /^https?:/.test(path) ? `--request-target ${quoted(path)} ${url}` : quoted(`${url}${path}`)
  return ['curl -g --path-as-is', `-X ${method}`, ...sent, ...data, target].join(' ')
}

function dataOf(body: Buffer, file: string): string {
  const text = body.toString()
  if (body.length <= maxShownBody && Buffer.from(text).equals(body)) return quoted(text)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${file}.body`)
  writeFileSync(path, body)
  return `@${path}`
}

function quoted(text: string): string {
  const shown = text.length > 2_000 ? `${text.slice(0, 2_000)}...` : text
  return `'${shown.replaceAll("'", String.raw`'\''`)}'`
}
