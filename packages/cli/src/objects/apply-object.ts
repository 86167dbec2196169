import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'
import type { KnownResource } from '../server/resources.ts'
import { changedObject, comparable, newObject } from './desired-object.ts'
import { fieldChanges, type FieldChange } from './field-changes.ts'
import type { WrittenObject } from './read-documents.ts'
import { getStored, hidesData } from './stored-objects.ts'

/** Others may write the object between our reading and our writing this often. */
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
  /** As it was read, where it is there. */
  readonly stored: ApiObject | undefined
  /** Everything is done but stored. */
  readonly dryRun: boolean
}

/** Creates the object, or makes the stored one what was written; again, when somebody else was faster. */
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

/** Who has said which version it had read decides itself. */
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
