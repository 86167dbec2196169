import { isApiError, type ApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { fullName } from '../../server/resource-names.ts'
import type { KnownResource } from '../../server/known-resource.ts'
import { findResource, readResources } from '../../server/resources.ts'
import { CommandFault } from '../../terminal/command-fault.ts'
import { renderError, summaryOf } from '../../terminal/render-error.ts'
import { visible } from '../../terminal/visible.ts'
import { changedLines } from '../changed-lines.ts'
import { comparable } from '../desired-object.ts'
import { fieldChanges } from '../field-changes.ts'
import type { ObjectDocument, WrittenObject } from '../read-documents.ts'
import { pathOfPointer } from '../pointer.ts'
import { hidesData } from '../stored-objects.ts'
import { yamlText } from '../yaml-text.ts'
import { createDraft, type Draft } from './draft.ts'
import { lineOf, readText, withoutRemarks, withRemarks, type Remark } from './edited-text.ts'
import { mergeChanges } from './merge-changes.ts'
import { runEditor } from './run-editor.ts'

export interface EditOptions extends ServerOptions {
  readonly status?: boolean
  readonly plan?: boolean
}

interface Editing {
  readonly context: CommandContext
  readonly client: Client
  readonly host: string
  readonly resource: KnownResource
  readonly isStatus: boolean
  readonly plan: boolean
  readonly draft: Draft
}

/** Opens objects in the editor, one after the other, and stores what was changed. */
export async function edit(
  context: CommandContext,
  { resource: named, names }: { readonly resource: string; readonly names: readonly string[] },
  options: EditOptions,
): Promise<void> {
  const { client, host } = await connect(context, options)
  const resource = await attempting({ verb: 'get', resource: '/apis' }, async () =>
    findResource(await readResources(client), named),
  )
  const { status: isStatus = false, plan = false } = options
  if (isStatus && !resource.statusSubresource)
    throw new CommandFault(`clients cannot write the status of ${resource.plural}`)
  for (const name of names) {
    const attempt = { verb: 'get', resource: fullName(resource), name }
    const stored = await attempting(attempt, () => client.resource(resource).get(name))
    const draft = createDraft(`${resource.singular}-${name}`)
    await editObject({ context, client, host, resource, isStatus, plan, draft }, stored)
  }
}

/** Opens the editor until the object is stored or given up. */
async function editObject(editing: Editing, stored: ApiObject): Promise<void> {
  const { context, draft, plan, resource } = editing
  let base = stored
  let shown = textOf(editing, editableOf(editing, base), [])
  draft.write(shown)
  let wasRefused = false
  for (;;) {
    await opened(editing, { shown })
    const edited = draft.read()
    const text = withoutRemarks(edited)
    const { document, faults } = readText(text)
    if (!draft.isSaved() || (!document && faults.length === 0)) return givenUp(editing, { wasRefused })
    const remarks = document ? [...faults, ...identityFaults(base, document)] : faults
    if (!document || remarks.length > 0) {
      if (edited === shown) return givenUp(editing, { wasRefused: true })
      shown = withRemarks(text, remarks)
    } else {
      const wanted = wantedOf(editing, document.object, base)
      const outcome = await store(editing, wanted, base)
      if ('after' in outcome) {
        draft.remove()
        return context.terminal.print(
          changedLines(context.terminal, { resource, before: base, after: outcome.after, plan }),
        )
      }
      if ('latest' in outcome) {
        shown = conflictText(editing, { base, wanted, latest: outcome.latest })
        base = outcome.latest
      } else {
        if (edited === shown) return givenUp(editing, { wasRefused: true })
        shown = withRemarks(text, errorRemarks(document, outcome.refusal))
      }
    }
    wasRefused = true
    draft.write(shown)
  }
}

async function opened({ context, draft }: Editing, { shown }: { readonly shown: string }): Promise<void> {
  try {
    await runEditor(context.variables, draft.file)
  } catch (error) {
    if (draft.read() === shown) draft.remove()
    throw draft.isSaved() ? kept(draft, error) : error
  }
}

/** Ends without storing. A text that was refused is kept, because somebody has written it. */
function givenUp({ context, draft }: Editing, { wasRefused }: { readonly wasRefused: boolean }): Promise<void> {
  if (wasRefused) throw kept(draft, new CommandFault('nothing has been changed: the text was closed with its errors'))
  draft.remove()
  return context.terminal.print(['  nothing has been changed'])
}

/** An error that names the file with the text. */
function kept({ file }: Draft, error: unknown): CommandFault {
  const { lines, exitCode } = renderError(error)
  const [message = '', ...more] = lines
  return new CommandFault(message, {
    exitCode,
    lines: [...more, `  your text is kept in ${file}`],
    next: `pergola apply -f ${file}`,
  })
}

type Outcome = { readonly after: ApiObject } | { readonly latest: ApiObject } | { readonly refusal: ApiError }

async function store(
  { client, resource, isStatus, plan, draft }: Editing,
  wanted: ApiObject,
  base: ApiObject,
): Promise<Outcome> {
  if (fieldChanges(comparable(base), comparable(wanted)).length === 0) return { after: base }
  const objects = client.resource(resource)
  const { name } = base.metadata
  try {
    const how = { dryRun: plan }
    const after = await (isStatus ? objects.updateStatus(wanted, how) : objects.update(wanted, how))
    return { after: hidesData(resource) ? wanted : after }
  } catch (error) {
    if (isApiError(error) && error.reason === 'VersionConflict') {
      try {
        return { latest: await objects.get(name) }
      } catch (second) {
        throw kept(draft, second)
      }
    }
    if (isApiError(error) && (error.errors ?? []).length > 0) return { refusal: error }
    throw kept(draft, error)
  }
}

/** The part of an object that people edit: without what the server owns, but with the version, which `apply` checks. */
function editableOf({ isStatus, resource }: Pick<Editing, 'isStatus' | 'resource'>, object: ApiObject): object {
  const { apiVersion, kind, metadata, status, ...fields } = object as ApiObject & { readonly status?: unknown }
  const { name, version, labels, annotations, finalizers } = metadata
  if (isStatus) return { apiVersion, kind, metadata: { name, version }, status: status ?? {} }
  const isShown = status !== undefined && !resource.statusSubresource
  const said = Object.entries({ name, version, labels, annotations, finalizers }).filter(
    ([, value]) => value !== undefined,
  )
  return { apiVersion, kind, metadata: Object.fromEntries(said), ...fields, ...(isShown && { status }) }
}

function textOf({ resource, host, isStatus }: Editing, editable: object, more: readonly Remark[]): string {
  const { metadata } = editable as WrittenObject
  const part = isStatus ? 'The status of' : 'The'
  const head = [
    `${part} ${resource.singular} ${visible(metadata.name)} on ${host}. Save and close to store it.`,
    'Close without saving to change nothing.',
  ]
  return withRemarks(yamlText(editable), [...head.map((words) => ({ words })), ...more])
}

function identityFaults({ apiVersion, kind, metadata }: ApiObject, document: ObjectDocument): readonly Remark[] {
  const { object } = document
  const pairs = [
    [['apiVersion'], object.apiVersion, apiVersion],
    [['kind'], object.kind, kind],
    [['metadata', 'name'], object.metadata.name, metadata.name],
  ] as const
  return pairs
    .filter(([, written, stored]) => written !== stored)
    .map(([path, , value]) => ({ line: lineOf(document, path), words: `${path.join('.')} must stay ${value}` }))
}

/** The object to send. Pins the version that was read, so that no concurrent change is lost. */
function wantedOf({ isStatus, resource }: Editing, { metadata, ...fields }: WrittenObject, base: ApiObject): ApiObject {
  const { uid, version, creationTimestamp, generation } = base.metadata
  const owned = { uid, version, creationTimestamp, generation }
  const { status: written, ...others } = fields as { readonly status?: unknown }
  if (isStatus) return { ...base, status: written ?? {} } as ApiObject
  const { status: stored } = base as { readonly status?: unknown }
  const status = resource.statusSubresource ? stored : written
  return {
    ...others,
    ...(status !== undefined && { status }),
    metadata: { ...metadata, ...owned },
  } as unknown as ApiObject
}

function errorRemarks(document: ObjectDocument, error: ApiError): readonly Remark[] {
  const fields = (error.errors ?? []).map(({ pointer = '', field, message }) => {
    return { line: lineOf(document, pathOfPointer(pointer)), words: `${visible(field)} ${visible(message)}` }
  })
  return [{ words: `not stored: ${visible(summaryOf(error))}` }, ...fields]
}

/** The text with the changes of both, and a comment at each field that was changed on the server. */
function conflictText(
  editing: Editing,
  { base, wanted, latest }: { readonly base: ApiObject; readonly wanted: ApiObject; readonly latest: ApiObject },
): string {
  const sides = { base, edited: wanted, stored: latest }
  const [was, edited, stored] = Object.values(sides).map((object) => editableOf(editing, object))
  const { value, foreign } = mergeChanges({ base: was, edited, stored })
  const { metadata, ...fields } = value as WrittenObject
  const { apiVersion, kind, ...others } = fields
  const merged = { apiVersion, kind, metadata: { ...metadata, version: latest.metadata.version }, ...others }
  const text = yamlText(merged)
  const { document } = readText(text)
  const remarks = foreign
    .filter(({ path }) => path.join('.') !== 'metadata.version')
    .map(({ path, before, now, isConflict }): Remark => {
      const change = `${path.join('.')} was changed on the server from ${valueWords(before)} to ${valueWords(now)}`
      const words = isConflict ? `CONFLICT: ${change}; yours is below` : `${change}, as below`
      return { line: document && lineOf(document, path), words }
    })
  const top = `Somebody else has changed it meanwhile: it is at version ${latest.metadata.version} now. Save again to store this text.`
  return textOf(editing, merged, [{ words: top }, ...remarks])
}

function valueWords(value: unknown): string {
  return value === undefined ? 'nothing' : visible(JSON.stringify(value)).slice(0, 200)
}
