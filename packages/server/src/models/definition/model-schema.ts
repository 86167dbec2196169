import { displayHues, maxDisplayColumns, maxDisplayText } from '@pergola/api'
import type { JsonSchema, ObjectSchema } from '../../validation/object-schema.ts'

const texts = { type: 'array', items: { type: 'string' } }
const name = (description: string): JsonSchema => ({ type: 'string', maxLength: 253, description })
const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
const byName = (description: string): JsonSchema => ({
  type: 'object',
  additionalProperties: { type: 'object' },
  description,
})

const version: JsonSchema = {
  type: 'object',
  required: ['name', 'schema'],
  properties: {
    name: name('`v1`, `v2beta1`, `v1alpha3`. Part of `apiVersion` and of every path.'),
    schema: {
      type: 'object',
      description: 'JSON Schema 2020-12 of `spec` and `status`.',
      required: ['properties'],
      properties: {
        type: { const: 'object', description: 'May be left out.' },
        properties: byName('`spec`, `status`, or both. A part that is not declared is refused as unknown.'),
        required: { ...texts, description: 'Parts that every object must have.' },
        $defs: byName('Schemas that `$ref` names as `#/$defs/<name>`; components of the OpenAPI document.'),
      },
    },
  },
}

const index: JsonSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: name('Name in `fieldSelector` and `sort`, unique in the model. Without `path`, also the path of the field.'),
    path: name(
      'Path of the field, such as `spec.city`. An array of scalars, or a field of the items of an array such as `spec.lines[].sku`, makes a multi-value index. Default: `name`.',
    ),
    order: { enum: ['ASC', 'DESC'], description: 'Direction of a `sort` that names none. Default: `ASC`.' },
    unique: flag('No two objects may have the same value; 409 `DuplicateIndexValue` otherwise. Default: false.'),
    evaluated: {
      enum: ['single', 'multi'],
      description: "A function of the plugin computes the value or the values. Only in a plugin's package.",
    },
    revision: {
      type: 'integer',
      minimum: 1,
      description: 'Another number builds the index again, because its function has changed.',
    },
  },
}

const display: JsonSchema = {
  type: 'object',
  description: 'How the console and `pergola list` show the objects. Never affects validation, rights or storage.',
  properties: {
    title: name(
      'Path of the string that people know an object by. Default: the first of `spec.title`, `spec.displayName`, `spec.name` and `spec.subject` that is a string in the schema, else `metadata.name`.',
    ),
    summary: name('Path of the value shown below the title.'),
    icon: name('An icon of the console.'),
    color: { enum: displayHues, description: 'A color of the console.' },
    columns: {
      type: 'array',
      maxItems: maxDisplayColumns,
      items: { type: 'string', maxLength: 253 },
      description: 'Paths of the columns in a table. Default: the title, then the indexed fields.',
    },
    section: {
      type: 'string',
      minLength: 1,
      maxLength: maxDisplayText,
      description: 'Heading in the menu of the console.',
    },
  },
}

const spec: JsonSchema = {
  type: 'object',
  required: ['group', 'kind', 'singular', 'plural', 'versions'],
  properties: {
    group: name('Domain name with a dot, such as `todo.example.com`. `platform.run` and all below it are reserved.'),
    kind: name('`kind` of the objects: a capital, then letters and digits. Unique in the group.'),
    singular: name(
      'Shown by discovery and the command line. Lowercase letters and digits; unique in the group, among plurals too.',
    ),
    plural: name(
      'Resource in paths and rules. Lowercase letters and digits; unique in the group, among singulars too.',
    ),
    specRequired: flag('Every object must have a `spec`. Default: false.'),
    statusSubresource: flag('`status` is written only at `<name>/status`. Default: false.'),
    check: flag("The plugin is asked before every write of `spec`. Only in a plugin's package. Default: false."),
    versions: { type: 'array', items: version, description: 'Exactly one for now.' },
    indexes: { type: 'array', items: index, description: 'Fields to select and sort by.' },
    composites: {
      type: 'array',
      maxItems: 8,
      items: { ...texts, maxItems: 4 },
      description:
        'Indexes that are filtered and sorted by together: `["spec.city", "spec.age desc"]`. Faster; adds no field.',
    },
    display,
    next: {
      type: 'object',
      additionalProperties: true,
      description: 'The definition of the next version while a plugin is upgraded. Written by the host alone.',
    },
  },
}

const duplicates: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'Values that keep a unique index from being built.',
  properties: {
    index: { type: 'string', description: 'Name of the index.' },
    pairs: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description: 'Up to 20 of `{ value, first, second }`: a value, and two objects that have it.',
    },
  },
}

const references: JsonSchema = {
  type: 'array',
  description: 'The references, while they are built and afterwards.',
  items: {
    type: 'object',
    additionalProperties: true,
    properties: {
      path: { type: 'string', description: 'Path of the field.' },
      phase: { type: 'string', enum: ['Building', 'Ready'], description: '`Building` until every object is indexed.' },
      dangling: {
        type: 'integer',
        description:
          'Values that named no object when they were last counted, to 10,000: after the build, and while there were some at each start of a server. `nonconforming` lists name the objects.',
      },
    },
  },
}

const build: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description:
    'Progress while `Building`: `indexes`, `phase`, `done` and `total` objects, `perSecond`, `remainingSeconds`.',
}

const status: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'Written by the host alone.',
  properties: {
    edition: { type: 'integer', description: 'Grows with every changed definition.' },
    phase: {
      type: 'string',
      description: '`Ready`; `Building` while indexes are built; `DuplicateValues` when one cannot become unique.',
    },
    message: { type: 'string', description: 'Why the last attempt to build failed; another one follows.' },
    build,
    duplicates,
    references,
  },
}

/** The schema of the objects that define models. Every field has a description: the reference is written from them. */
export const modelSchema: ObjectSchema = { required: ['spec'], properties: { spec, status } }
