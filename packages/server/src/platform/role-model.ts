import { verbs } from '@pergola/api'
import type { ModelDefinition } from '../models/definition/definition.ts'

const strings = { type: 'array', items: { type: 'string' } }
/** `*` stands alone, or after a slash at the end of a path. */
const words = (pattern: string) => ({ type: 'array', minItems: 1, maxItems: 1_000, items: { type: 'string', pattern } })
const groups = words('^(\\*|[^*]*)$')
const resources = words('^(\\*|[^*]+)$')
const paths = words('^(\\*|/[^*]*|/([^*]+/)?\\*)$')
const allowedVerbs = { type: 'array', minItems: 1, items: { enum: [...verbs, '*'] } }

export const roleModel: ModelDefinition = {
  group: '',
  version: 'v1alpha1',
  kind: 'Role',
  singular: 'role',
  plural: 'roles',
  schema: {
    properties: {
      rules: {
        type: 'array',
        maxItems: 1_000,
        items: {
          type: 'object',
          // A rule is of one kind: with nonResourceURLs it is about paths, else about resources.
          if: { required: ['nonResourceURLs'] },
          // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
          then: {
            properties: { nonResourceURLs: paths, verbs: allowedVerbs },
            required: ['verbs'],
            additionalProperties: false,
          },
          else: {
            properties: { apiGroups: groups, resources, resourceNames: strings, verbs: allowedVerbs },
            required: ['apiGroups', 'resources', 'verbs'],
            additionalProperties: false,
          },
        },
      },
    },
    required: ['rules'],
  },
}
