import { usedWrongly } from '../terminal/command-fault.ts'
import { isObject } from './schema-at.ts'

type Step = (values: readonly unknown[]) => readonly unknown[]

/** Finds values in an object. */
export type JsonPath = (value: unknown) => readonly unknown[]

/**
 * Parses a JSONPath, as RFC 9535 or kubectl writes it: `.spec.title`, `$.spec.lines[*].sku`, `{.spec.tags[-1]}`, `..name`,
 * `.spec.lines[?(@.count > 2)].sku`.
 */
export function jsonPath(text: string): JsonPath {
  const inner = /^\{(.*)\}$/s.exec(text.trim())?.[1] ?? text.trim()
  const path = inner.replace(/^[$@]/, '')
  const rooted = path === '' || /^[.[]/.test(path) ? path : `.${path}`
  const steps: Step[] = []
  for (let rest = rooted; rest !== '' && rest !== '.';) {
    const taken = takeStep(rest)
    if (!taken) {
      const at = text.length - rest.length + 1
      throw usedWrongly(
        `"${text}" is not a JSONPath: character ${at} is not understood; write .spec.title or .spec.tags[*]`,
      )
    }
    steps.push(taken.step)
    rest = rest.slice(taken.length)
  }
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value])
}

interface Taken {
  readonly step: Step
  readonly length: number
}

function takeStep(rest: string): Taken | undefined {
  const [all, dots = '', name = ''] = /^(\.\.?)((?:\\.|[^.[\]\\])+)/s.exec(rest) ?? []
  if (all !== undefined) return { length: all.length, step: dotted(dots, name.replaceAll(/\\(.)/gs, '$1')) }
  const bracket = bracketAt(rest)
  const selector = bracket === undefined ? undefined : selectorOf(bracket.inside.trim())
  if (!bracket || !selector) return undefined
  const each: Step = (values) => values.flatMap(selector)
  return { length: bracket.length, step: bracket.isDeep ? (values) => each(descendants(values)) : each }
}

function dotted(dots: string, name: string): Step {
  const select = name === '*' ? childrenOf : (value: unknown) => fieldOf(value, name)
  return (values) => (dots === '..' ? descendants(values) : values).flatMap(select)
}

/** The text between brackets; quotes may contain brackets. */
function bracketAt(
  rest: string,
): { readonly inside: string; readonly length: number; readonly isDeep: boolean } | undefined {
  const [all, dots = '', inside] =
    /^((?:\.\.)?)\[((?:"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|\[[^\]]*\]|[^"'[\]])*)\]/s.exec(rest) ?? []
  return all === undefined || inside === undefined ? undefined : { inside, length: all.length, isDeep: dots !== '' }
}

function selectorOf(inside: string): ((value: unknown) => readonly unknown[]) | undefined {
  if (inside === '*') return childrenOf
  if (/^-?\d+$/.test(inside)) return (value) => itemsOf(value).slice(Number(inside)).slice(0, 1)
  const [slice, from = '', to = ''] = /^(-?\d*):(-?\d*)$/.exec(inside) ?? []
  if (slice !== undefined) {
    return (value) => itemsOf(value).slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to))
  }
  if (inside.startsWith('?')) return filterOf(inside.slice(1).trim())
  const names = [...inside.matchAll(/\s*(?:"((?:\\.|[^"])*)"|'((?:\\.|[^'])*)')\s*(,|$)/gy)]
  if (names.length === 0 || names.map(([all]) => all).join('').length !== inside.length) return undefined
  const keys = names.map(([, double, single]) => (double ?? single ?? '').replaceAll(/\\(.)/gs, '$1'))
  return (value) => keys.flatMap((key) => fieldOf(value, key))
}

const comparisons: Readonly<Record<string, (one: number | string, other: number | string) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

/** `(@.count > 2)`, `@.sku == "a"`, `@.sku`: one comparison, or that there is a value. */
function filterOf(text: string): ((value: unknown) => readonly unknown[]) | undefined {
  const inner = /^\((.*)\)$/s.exec(text)?.[1]?.trim() ?? text
  const [all, path = '', operator, literal = ''] = /^(@[^=!<>\s]*)\s*(?:(==|!=|<=|>=|<|>)\s*(.+))?$/s.exec(inner) ?? []
  if (all === undefined) return undefined
  const find = jsonPath(path)
  if (operator === undefined) return (value) => childrenOf(value).filter((item) => find(item).length > 0)
  const wanted = literalOf(literal.trim())
  if (wanted === undefined) return undefined
  return (value) => childrenOf(value).filter((item) => holds(find(item)[0], operator, wanted))
}

function holds(found: unknown, operator: string, wanted: unknown): boolean {
  if (operator === '==') return found === wanted
  if (operator === '!=') return found !== wanted
  const isComparable = typeof found === typeof wanted && (typeof found === 'number' || typeof found === 'string')
  return isComparable && (comparisons[operator]?.(found, wanted as typeof found) ?? false)
}

function literalOf(text: string): unknown {
  const [single] = /^'((?:\\.|[^'])*)'$/s.exec(text)?.slice(1) ?? []
  if (single !== undefined) return single.replaceAll(/\\(.)/gs, '$1')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function childrenOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : isObject(value) ? Object.values(value) : []
}

function descendants(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => [value, ...descendants(childrenOf(value))])
}
