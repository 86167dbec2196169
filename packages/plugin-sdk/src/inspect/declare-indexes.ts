import { resolveIndexPath, type ModelDeclaration, type ObjectSchema } from '@pergola/api'
import type { AnyIndexOption } from '../model/index-options.ts'
import type { AnyModel } from '../model/model.ts'
import { about, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'

/** Indexes that every model has. */
const defaultIndexes = new Set([
  'metadata.name',
  'metadata.labels',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
])
/** Limits that a host enforces. */
const mostIndexes = 32
const mostMultiIndexes = 8

type DeclaredIndex = NonNullable<ModelDeclaration['indexes']>[number]

interface Place {
  readonly schema: ObjectSchema
  /** The model. */
  readonly where: string
}

export function declareIndexes(model: AnyModel, { schema, where }: Place, report: Report): readonly DeclaredIndex[] {
  const indexes = model.indexes.map((index, at) =>
    declareIndex(index, { schema, where: `${where}.indexes[${at}]` }, report),
  )
  for (const [at, { name }] of indexes.entries()) {
    if (indexes.findIndex((other) => other.name === name) === at) continue
    report(`${where}.indexes[${at}]`, `"${name}" is declared twice; remove one`)
  }
  const multi = new Set(indexes.filter((index) => isMulti(index, schema)).map(({ name }) => name))
  if (indexes.length > mostIndexes) {
    report(`${where}.indexes`, `has ${indexes.length} indexes; at most ${mostIndexes} are allowed`)
  }
  if (multi.size > mostMultiIndexes) {
    report(`${where}.indexes`, `has ${multi.size} indexes of several values; at most ${mostMultiIndexes} are allowed`)
  }
  for (const [at, parts] of model.composites.entries()) {
    const names = new Set(indexes.map(({ name }) => name))
    for (const fault of compositeFaults(parts, names, multi)) report(`${where}.composites[${at}]`, fault)
  }
  return indexes
}

function isMulti(index: DeclaredIndex, schema: ObjectSchema): boolean {
  if ('evaluated' in index) return index.evaluated === 'multi'
  const resolved = resolveIndexPath(schema, index.name)
  return 'multi' in resolved && resolved.multi
}

function declareIndex(option: AnyIndexOption, { schema, where }: Place, report: Report): DeclaredIndex {
  const index = typeof option === 'string' ? { path: option } : option
  optionFaults('index', index, (fault) => report(where, fault))
  const name = 'path' in index ? index.path : index.name
  const shared = { name, ...(index.unique && { unique: true }), ...(index.order && { order: index.order }) }
  if (index.order !== undefined && !['ASC', 'DESC'].includes(index.order)) {
    report(where, `has the order ${JSON.stringify(index.order)}; write ASC or DESC`)
  }
  if (defaultIndexes.has(name)) report(where, `"${name}" is an index of every model; leave it out`)
  else if ('path' in index) {
    const resolved = resolveIndexPath(schema, name)
    report(where, 'fault' in resolved ? about(name, resolved.fault) : undefined)
  } else if (/[=!<>^,()\\\s]/.test(name) || name === '') {
    report(where, `"${name}" is not a valid name; it must not contain spaces or any of = ! < > ^ , ( ) \\`)
  }
  report(where, functionFault(index))
  if ('path' in index) return shared
  const { revision = 1 } = index
  if (!Number.isSafeInteger(revision) || revision < 1)
    report(where, `the revision ${revision} must be 1, 2, 3 and so on`)
  return { ...shared, evaluated: 'single' in index ? 'single' : 'multi', revision }
}

/** The types reject these mistakes, but neither packing nor development mode checks types. */
function functionFault(index: Exclude<AnyIndexOption, string>): string | undefined {
  const ways = ['path', 'single', 'multi'].filter((way) => way in index)
  // A misspelt function is reported as an unknown option.
  if (ways.length === 0) return undefined
  if (ways.length > 1) return `has ${ways.join(' and ')}; write one of path, single and multi`
  const [way = ''] = ways
  const given: unknown = index[way as keyof typeof index]
  if (way === 'path') return undefined
  if (typeof given !== 'function') return `${way} must be a function`
  return isAsync(given) ? `${way} is asynchronous; it must answer at once` : undefined
}

/** True for a function that is declared `async`. */
export function isAsync(given: unknown): boolean {
  return Object.prototype.toString.call(given) === '[object AsyncFunction]'
}

function compositeFaults(
  parts: readonly string[],
  names: ReadonlySet<string>,
  multi: ReadonlySet<string>,
): readonly string[] {
  if (parts.length < 2) return ['must name two indexes or more']
  return parts.flatMap((part) => {
    const [name = '', direction = 'asc', ...rest] = part.split(' ')
    if (rest.length > 0 || !/^(asc|desc)$/i.test(direction)) {
      return `"${part}" must be <index>, <index> asc or <index> desc`
    }
    if (!names.has(name)) return `names no index of this model: "${name}"`
    return multi.has(name) ? `"${name}" holds several values; a composite takes single ones` : []
  })
}
