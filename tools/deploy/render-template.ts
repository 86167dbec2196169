/**
 * Renders the subset of Helm's template language that the chart in this repository uses, because the checks run without Helm. It
 * rejects everything else, so that the chart stays within the subset.
 */
export interface TemplateScope {
  /** What `.` is. */
  readonly dot: unknown
  /** What `$` is. */
  readonly root: unknown
  readonly defined: Map<string, readonly Node[]>
}

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly words: string }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly words: string
      readonly inner: Node[]
      readonly otherwise: Node[]
    }

type Value = unknown

/** Parses a file; its templates go into `defined`. */
export function readTemplate(text: string, defined: TemplateScope['defined']): readonly Node[] {
  const tokens = tokensOf(text)
  const nodes = readNodes(tokens, defined)
  if (tokens.length > 0) throw new Error(`unexpected {{ ${wordsOf(tokens[0] ?? '')} }}`)
  return nodes
}

export function renderNodes(nodes: readonly Node[], scope: TemplateScope): string {
  return nodes.map((node) => renderNode(node, scope)).join('')
}

function renderNode(node: Node, scope: TemplateScope): string {
  if (node.kind === 'text') return node.text
  const value = evaluate(node.words, scope)
  if (node.kind === 'value') return shown(value)
  if (!isTrue(value)) return renderNodes(node.otherwise, scope)
  if (node.kind === 'range') {
    if (!Array.isArray(value)) throw new Error(`{{ range ${node.words} }} needs a list`)
    return value.map((dot) => renderNodes(node.inner, { ...scope, dot })).join('')
  }
  return renderNodes(node.inner, node.kind === 'with' ? { ...scope, dot: value } : scope)
}

/** Splits into text and `{{ actions }}`, and trims white space at their dashes. */
function tokensOf(text: string): string[] {
  return text
    .replaceAll(/\s*\{\{-\s/g, '{{ ')
    .replaceAll(/\s-\}\}\s*/g, ' }}')
    .split(/(\{\{.*?\}\})/s)
    .filter((token) => token !== '')
}

function readNodes(tokens: string[], defined: TemplateScope['defined']): Node[] {
  const nodes: Node[] = []
  for (let token = tokens[0]; token !== undefined; token = tokens[0]) {
    const words = wordsOf(token)
    if (token.startsWith('{{') && /^(end|else)$/.test(words)) return nodes
    tokens.shift()
    if (!token.startsWith('{{')) nodes.push({ kind: 'text', text: token })
    else nodes.push(...readAction(words, tokens, defined))
  }
  return nodes
}

function readAction(words: string, tokens: string[], defined: TemplateScope['defined']): readonly Node[] {
  if (words.startsWith('/*')) return []
  const [, kind = '', rest = ''] = /^(if|with|define|range|block|template|\$\w+)\b(.*)$/.exec(words) ?? []
  if (kind === '') return [{ kind: 'value', words }]
  const inner = readNodes(tokens, defined)
  const otherwise = wordsOf(tokens[0] ?? '') === 'else' ? (tokens.shift(), readNodes(tokens, defined)) : []
  if (wordsOf(tokens.shift() ?? '') !== 'end') throw new Error(`{{ ${words} }} has no {{ end }}`)
  if (kind === 'if' || kind === 'with' || kind === 'range') return [{ kind, words: rest, inner, otherwise }]
  if (kind !== 'define') throw new Error(`"${kind}" is more than the check of the chart understands`)
  defined.set(rest.trim().replaceAll('"', ''), inner)
  return []
}

function wordsOf(token: string): string {
  return token.replace(/^\{\{/, '').replace(/\}\}$/, '').trim()
}

function evaluate(words: string, scope: TemplateScope): Value {
  const parts = words.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? []
  const value = pipeline(parts, scope)
  if (parts.length > 0) throw new Error(`"${words}" has trailing parts`)
  return value
}

/** Removes the parsed tokens from `parts`. */
function pipeline(parts: string[], scope: TemplateScope): Value {
  let value = call(parts, scope, [])
  while (parts[0] === '|') {
    parts.shift()
    value = call(parts, scope, [value])
  }
  return value
}

function call(parts: string[], scope: TemplateScope, piped: readonly Value[]): Value {
  const [first = ''] = parts
  const isCall = /^[a-zA-Z]/.test(first)
  if (isCall) parts.shift()
  const given: Value[] = []
  while (parts.length > 0 && parts[0] !== '|' && parts[0] !== ')') given.push(operand(parts, scope))
  const values = [...given, ...piped]
  if (!isCall) return values[0]
  const known = functions[first]
  if (!known) throw new Error(`"${first}" is more than the check of the chart understands`)
  return known(values, scope)
}

function operand(parts: string[], scope: TemplateScope): Value {
  const part = parts.shift() ?? ''
  if (part === '(') {
    const value = pipeline(parts, scope)
    if (parts.shift() !== ')') throw new Error('missing closing bracket')
    return value
  }
  if (part.startsWith('"')) return JSON.parse(part) as string
  if (/^\d+$/.test(part)) return Number(part)
  if (part.startsWith('$')) return field(scope.root, part.slice(1))
  if (part.startsWith('.')) return field(scope.dot, part)
  throw new Error(`"${part}" is more than the check of the chart understands`)
}

/** Stricter than Helm, which treats a misspelt value as empty. */
function field(from: Value, path: string): Value {
  let value = from
  for (const name of path.split('.').filter((word) => word !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      throw new Error(`${path} does not exist`)
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

const functions: Readonly<Record<string, (values: readonly Value[], scope: TemplateScope) => Value>> = {
  include: ([name, dot], scope) => {
    const nodes = scope.defined.get(String(name))
    if (!nodes) throw new Error(`"${String(name)}" is not defined`)
    return renderNodes(nodes, { ...scope, dot })
  },
  toYaml: ([value]) => blockYaml(value, ''),
  nindent: ([count, text]) => `\n${String(text).replaceAll(/^/gm, ' '.repeat(Number(count)))}`,
  quote: ([value]) => JSON.stringify(shown(value)),
  trunc: ([length, text]) => String(text).slice(0, Number(length)),
  default: ([fallback, value]) => (isTrue(value) ? value : fallback),
  printf: ([form, ...values]) => {
    const left = [...values]
    return String(form).replaceAll('%s', () => shown(left.shift()))
  },
  int: ([value]) => Number(value),
  gt: ([left, right]) => Number(left) > Number(right),
  sha256sum: ([text]) => `digest-of-${String(text).length}`,
  required: ([message, value]) => {
    if (!isTrue(value)) throw new Error(String(message))
    return value
  },
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function shown(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error('expected a string')
}

/** Like Helm's function: a block without a leading line break. */
function blockYaml(value: Value, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${indent}- ${blockYaml(item, `${indent}  `).trimStart()}`).join('\n')
  }
  if (typeof value === 'object' && value !== null && isTrue(value)) {
    const lines = Object.entries(value).map(([key, inner]) => {
      const isBlock = typeof inner === 'object' && inner !== null && isTrue(inner)
      return `${indent}${key}:${isBlock ? `\n${blockYaml(inner, `${indent}  `)}` : ` ${blockYaml(inner, '')}`}`
    })
    return lines.join('\n')
  }
  return `${indent}${JSON.stringify(value)}`
}
