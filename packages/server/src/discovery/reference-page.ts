import type { RouteDeclaration } from '@pergola/api'
import type { HostRoute } from '../call/host-route.ts'
import { isJsonObject } from '../base/json-object.ts'
import { inlineSource, pageHeaders } from '../call/page-headers.ts'
import { pathOf, type Model } from '../models/model.ts'
import type { GroupVersion } from './group-version.ts'
import { appWords } from './openapi-document.ts'
import { createFreeName, type FreeName } from './openapi-names.ts'
import { modelPaths } from './openapi-paths.ts'
import { modelSchemas } from './openapi-schemas.ts'

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent) }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 3rem auto; padding: 0 1.5rem }
h1 { font-size: 1.9rem; margin: .2rem 0 1rem } h2 { margin-top: 3rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem } a { color: light-dark(#0b6e4f, #5ad1a5) }
table { border-collapse: collapse; width: 100%; font-size: .92rem } td, th { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line) }
code { font: .88em/1.4 ui-monospace, monospace; background: var(--soft); padding: .1em .35em; border-radius: 4px }
.method { text-transform: uppercase; font: 600 .75rem/1.6rem ui-monospace, monospace; width: 4.5rem; color: light-dark(#0b6e4f, #5ad1a5) }
.delete { color: light-dark(#b3261e, #f2847c) } .put, .patch { color: light-dark(#8a5a00, #e5b567) }
`

export const referenceHeaders = pageHeaders(`style-src ${inlineSource(style)}`, "form-action 'none'")

/** The list of groups, for people. */
export function referenceIndex(versions: readonly GroupVersion[]): string {
  const rows = versions.map(({ apiVersion, path, models }) => {
    const kinds = models.map(({ kind }) => `<code>${escape(kind)}</code>`).join(' ')
    return `<tr><td><a href="/openapi${escape(path)}">${escape(apiVersion)}</a></td><td>${kinds}</td></tr>`
  })
  return page(
    'API reference',
    `<h1>API reference</h1>
    <p>Every resource of this server, by group and version. For programs: <a href="/apis"><code>/apis</code></a> and
    <a href="/openapi/v3"><code>/openapi/v3</code></a>.</p>
    <table><thead><tr><th>Group and version</th><th>Kinds</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  )
}

/** The resources of one group and version. */
export function referencePage({ apiVersion, path, models, routes, hostRoutes, app }: GroupVersion): string {
  const contents = models.map(({ kind, plural }) => `<li><a href="#${escape(plural)}">${escape(kind)}</a></li>`)
  return page(
    apiVersion,
    `<p><a href="/openapi">API reference</a></p><h1>${escape(apiVersion)}</h1>
    <p>As a document: <a href="/openapi/v3${escape(path)}"><code>/openapi/v3${escape(path)}</code></a></p>
    ${app === undefined ? '' : `<p>${escape(appWords(app))}</p>`}<ul>${contents.join('')}</ul>${models.map((model) => modelSection(model, createFreeName(models))).join('')}${hostSection(hostRoutes)}${customSection(routes)}`,
  )
}

function modelSection(model: Model, freeName: FreeName): string {
  const { kind, plural, indexes } = model
  const operations = Object.entries(modelPaths(model, freeName)).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { summary?: string }>).flatMap(([method, operation]) =>
      operation.summary === undefined ? [] : [operationRow(method, path, operation.summary)],
    ),
  )
  const watch = operationRow('watch', pathOf(model), `Follow ${plural} as they change: a WebSocket, or an event stream`)
  const { properties } = modelSchemas(model, freeName)[kind] as { properties: Record<string, unknown> }
  const own = Object.entries(properties).filter(([field]) => !['apiVersion', 'kind', 'metadata'].includes(field))
  const indexRows = indexes
    .filter(({ isNext }) => !isNext)
    .map(
      ({ name, type, multi, unique }) =>
        `<tr><td><code>${escape(name)}</code></td><td>${multi ? `set of ${type}` : type}</td><td>${unique ? 'unique' : ''}</td></tr>`,
    )
  return `<section id="${escape(plural)}"><h2>${escape(kind)}</h2>
    <table>${operations.join('')}${watch}</table>
    <h3>Fields</h3><table>${own.map(([field, schema]) => fieldRows(field, schema)).join('')}</table>
    ${indexRows.length === 0 ? '' : `<h3>Indexed fields</h3><table>${indexRows.join('')}</table>`}</section>`
}

function hostSection(routes: readonly HostRoute[]): string {
  if (routes.length === 0) return ''
  const rows = routes.map(({ method, path, summary }) => operationRow(method.toLowerCase(), path, summary))
  return `<section id="host"><h2>Endpoints of the host</h2><table>${rows.join('')}</table></section>`
}

function customSection(routes: readonly RouteDeclaration[]): string {
  if (routes.length === 0) return ''
  const rows = routes.map(({ method, path, description, allow }) =>
    operationRow(
      method.toLowerCase(),
      path,
      [description, allow && `role template ${allow}`].filter(Boolean).join('; '),
    ),
  )
  return `<section id="custom"><h2>Custom APIs</h2><table>${rows.join('')}</table></section>`
}

function operationRow(method: string, path: string, summary: string): string {
  return `<tr><td class="method ${method}">${method}</td><td><code>${escape(path)}</code></td><td>${escape(summary)}</td></tr>`
}

const maxFieldDepth = 8

function fieldRows(path: string, schema: unknown, depth = 0): string {
  if (!isJsonObject(schema) || depth > maxFieldDepth) return ''
  const { type, description, properties, items, required, $ref } = schema
  const shown =
    typeof $ref === 'string'
      ? ($ref.split('/').at(-1) ?? '')
      : Array.isArray(type)
        ? type.join(' or ')
        : typeof type === 'string'
          ? type
          : 'any'
  const needed = Array.isArray(required) && required.length > 0 ? `needs ${required.join(', ')}` : ''
  const words = [typeof description === 'string' ? description : '', constraintsOf(schema), needed].filter(
    (part) => part !== '',
  )
  const row = `<tr><td><code>${escape(path)}</code></td><td>${escape(shown)}</td><td>${escape(words.join('; '))}</td></tr>`
  const below = isJsonObject(properties) ? Object.entries(properties) : []
  const rows = below.map(([field, one]) => fieldRows(`${path}.${field}`, one, depth + 1))
  return (
    row +
    rows.join('') +
    (isJsonObject(items) && isJsonObject(items['properties']) ? fieldRows(`${path}[]`, items, depth + 1) : '')
  )
}

const constraints = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'default',
]

function constraintsOf(schema: Readonly<Record<string, unknown>>): string {
  const values = Array.isArray(schema['enum']) ? [`one of ${schema['enum'].map(String).join(', ')}`] : []
  const others = constraints
    .filter((keyword) => keyword in schema)
    .map((keyword) => `${keyword} ${JSON.stringify(schema[keyword])}`)
  return [...values, ...others].join(', ')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Readable without scripts, fonts or external content. */
function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)} · Pergola</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body>${body}</body></html>`
}
