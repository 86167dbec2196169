import type { ModelDeclaration } from '../../../packages/server/src/store/store.ts'

/** The model that is read as a whole. */
export const listedModel: ModelDeclaration = {
  group: 'example.com',
  plural: 'records',
  indexes: [{ name: 'city' }, { name: 'tags', multi: true }],
}
