import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import { changedObject, comparable, newObject } from './desired-object.ts'
import { fieldChanges, type FieldChange } from './field-changes.ts'
import type { WrittenObject } from './read-documents.ts'
import { getStored, hidesData } from './stored-objects.ts'

/** Attempts when others write the object concurrently. */
const maxTries = 5
const mostWaitMs = 10_000

export interface Applied {
  readonly outcome: 'created' | 'changed' | 'unchanged'
  readonly changes: readonly FieldChange[]
}

export interface Application {
  readonly client: Client
  readonly resource: KnownResource
  readonly written: WrittenObject
  /** The stored object; undefined when it does not exist. */
  readonly stored: ApiObject | undefined
  /** Performs every check without storing the result. */
  readonly dryRun: boolean
}

/** Creates or updates the object to match the file. Retries on conflicts. */
export async function applyObject(application: Application): Promise<Applied> {
  const { client, resource, written } = application
  let { stored } = application
  const hasVersion = written.metadata['version'] !== undefined
  for (let tries = 1; ; tries++) {
    try {
      return await (stored ? change(application, stored) : create(application))
    } catch (error) {
      if (!isApiError(error) || tries === maxTries) throw error
      if (error.reason === 'TooManyRequests') await sleep(waitOf(error.headers['retry-after']))
      else if (!isRaced(error.reason, hasVersion)) throw error
      else stored = await getStored(client, resource, written.metadata.name)
    }
  }
}

/** True when a retry makes sense. A file with an explicit version is not retried. */
function isRaced(reason: string, hasVersion: boolean): boolean {
  return reason === 'AlreadyExists' || (!hasVersion && (reason === 'VersionConflict' || reason === 'NotFound'))
}

function waitOf(asked: string | undefined): number {
  return Math.min(Number(asked ?? 1) * 1_000 || 1_000, mostWaitMs)
}

async function create({ client, resource, written, dryRun }: Application): Promise<Applied> {
  await client.resource(resource).create(newObject(written, resource), { dryRun })
  return { outcome: 'created', changes: [] }
}

async function change({ client, resource, written, dryRun }: Application, stored: ApiObject): Promise<Applied> {
  const wanted = changedObject(written, stored, resource)
  const before = comparable(stored)
  if (fieldChanges(before, comparable(wanted)).length === 0) return { outcome: 'unchanged', changes: [] }
  const updated = await client.resource(resource).update(wanted, { dryRun })
  const changes = fieldChanges(before, comparable(hidesData(resource) ? wanted : updated))
  return { outcome: changes.length === 0 ? 'unchanged' : 'changed', changes }
}
