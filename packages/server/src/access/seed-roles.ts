import { isApiError } from '@pergola/api'
import { createObject, type WriteParts } from '../models/create.ts'
import type { Model } from '../models/model.ts'
import type { BuiltInRole } from './built-in-roles.ts'

/** Creates missing built-in roles one by one: replicas that start together find that some exist already. */
export async function seedRoles(parts: WriteParts, model: Model, roles: readonly BuiltInRole[]): Promise<void> {
  for (const { rules, ...metadata } of roles) {
    try {
      await createObject(parts, model, { body: { metadata, rules } })
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'AlreadyExists') throw error
    }
  }
}
