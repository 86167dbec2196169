import type { HostAnswer, HostRoute, QueryParameter } from '../../call/host-route.ts'
import { answeredSchema } from '../../models/definition/answered-schema.ts'
import { install, logs, restart, rollBack, runSchedule, uninstall, type PluginApiParts } from './plugin-api.ts'

const plugins = '/apis/console.api.platform.run/v1alpha1/plugins'
const pathParameters = { name: "The plugin's name." }
const text = { type: 'string' }
const texts = { type: 'array', items: text }

const plan: QueryParameter = {
  name: 'plan',
  description: 'Only return the plan; change nothing.',
  schema: { type: 'boolean', default: false },
}
const approve: QueryParameter = {
  name: 'approve',
  description: 'The names of the approvals that the plan asks for.',
  schema: texts,
}

/** The host's routes for administering `plugins`: packages, versions, processes, logs. */
export function pluginRoutes(parts: PluginApiParts): readonly HostRoute[] {
  const plugin = answeredSchema(parts.plugins)
  const updated = { status: 200, description: 'The plugin after the change.', schema: plugin }
  const planned = {
    status: 200,
    description: 'The plan with `plan=true`, otherwise the plugin after the change.',
    schema: { anyOf: [planSchema, plugin] },
  }
  return [
    {
      id: 'installPlugin',
      method: 'POST',
      path: `${plugins}/-/packages`,
      summary: 'Install a plugin, or upgrade it',
      description: 'Accepts a package from `pergola plugin pack` of at most 100 MiB.',
      query: [plan, approve],
      body: { types: ['application/gzip'] },
      answers: [planned, { status: 201, description: 'The plugin that was installed.', schema: plugin }],
      failures: [
        ...changeFailures,
        'PayloadTooLarge',
        'Invalid',
        'AlreadyExists',
        'DuplicateIndexValue',
        'EscalationForbidden',
      ],
      handle: (call) => install(parts, call),
    },
    {
      id: 'rollBackPlugin',
      method: 'POST',
      path: `${plugins}/{name}/rollback`,
      summary: 'Roll a plugin back to its previous version',
      pathParameters,
      query: [plan, approve],
      answers: [planned],
      failures: [...changeFailures, 'Invalid', 'DuplicateIndexValue', 'EscalationForbidden'],
      handle: (call, { name = '' }) => rollBack(parts, name, call),
    },
    removalRoute(parts, { name: 'uninstall', data: 'keep' }, planned),
    removalRoute(parts, { name: 'purge', data: 'purge' }, planned),
    {
      id: 'restartPlugin',
      method: 'POST',
      path: `${plugins}/{name}/restart`,
      summary: 'Restart the processes of a plugin',
      pathParameters,
      answers: [updated],
      failures: changeFailures,
      handle: (call, { name = '' }) => restart(parts, name, call),
    },
    {
      id: 'runSchedule',
      method: 'POST',
      path: `${plugins}/{name}/run`,
      summary: 'Run a schedule of a plugin now',
      pathParameters,
      query: [{ name: 'schedule', description: 'The name of the schedule.', schema: text, required: true }],
      answers: [
        {
          status: 202,
          description:
            'The run is requested; `requested` disappears from the status of the schedule when it has ended.',
          schema: { type: 'object', required: ['name', 'requested'], properties: { name: text, requested: text } },
        },
      ],
      failures: changeFailures,
      handle: (call, { name = '' }) => runSchedule(parts, name, call),
    },
    logsRoute(parts),
  ]
}

const changeFailures = ['VersionConflict', 'InUse'] as const

const planItemSchema = {
  type: 'object',
  required: ['code', 'values'],
  properties: {
    code: {
      type: 'string',
      description: 'The fact that `values` complete; a client writes its own sentence from both.',
    },
    values: { type: 'object', additionalProperties: true },
    risk: { enum: ['decision', 'everybody', 'role', 'none'] },
    change: { enum: ['+', '-', '~'], description: 'In an upgrade: added, removed or changed.' },
    approval: { type: 'string', description: 'The name to approve.' },
  },
}

const planSchema = {
  type: 'object',
  required: ['plugin', 'sections', 'approvals'],
  properties: {
    plugin: {
      type: 'object',
      required: ['name', 'version', 'digest', 'host'],
      properties: {
        name: text,
        version: text,
        displayName: text,
        description: text,
        author: text,
        license: text,
        homepage: text,
        logo: { type: 'string', description: 'Path of the image in the package.' },
        icon: text,
        color: text,
        size: { type: 'integer', description: 'Size of the package in bytes.' },
        digest: text,
        requires: { type: 'string', description: 'Range of host versions.' },
        host: { type: 'object', properties: { version: text, isCompatible: { type: 'boolean' } } },
      },
    },
    from: { type: 'string', description: 'The version that is replaced or removed.' },
    to: { type: 'string', description: 'The version that runs afterwards.' },
    sections: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'items'],
        properties: { code: text, items: { type: 'array', items: planItemSchema } },
      },
    },
    approvals: { ...texts, description: 'Names of the approvals that are required.' },
  },
}

interface Removal {
  readonly name: 'uninstall' | 'purge'
  readonly data: 'keep' | 'purge'
}

function removalRoute(parts: PluginApiParts, { name: verb, data }: Removal, planned: HostAnswer): HostRoute {
  return {
    id: `${verb}Plugin`,
    method: 'POST',
    path: `${plugins}/{name}/${verb}`,
    summary: data === 'keep' ? 'Uninstall a plugin and keep its data' : 'Uninstall a plugin and delete its data',
    pathParameters,
    query: [plan],
    answers: [planned],
    failures: changeFailures,
    handle: (call, { name = '' }) => uninstall(parts, { name, data }, call),
  }
}

function logsRoute(parts: PluginApiParts): HostRoute {
  return {
    id: 'readPluginLogs',
    method: 'GET',
    path: `${plugins}/{name}/logs`,
    summary: 'Read the last log lines of a plugin on all replicas',
    pathParameters,
    query: [
      {
        name: 'after',
        description: 'Only lines after this one; the value is `last` of an earlier response.',
        schema: { type: 'integer', minimum: 0 },
      },
      {
        name: 'replica',
        description: 'Only lines of this replica: its name or the beginning of its id.',
        schema: text,
      },
    ],
    answers: [
      {
        status: 200,
        description: 'The lines, oldest first.',
        schema: {
          type: 'object',
          required: ['items', 'times', 'replicas', 'last'],
          properties: {
            items: texts,
            times: { ...texts, description: 'When the host received each line, RFC 3339.' },
            last: { type: 'integer', description: 'The number of the newest line.' },
            replicas: { ...texts, description: 'The name of the replica of each line.' },
          },
        },
      },
    ],
    handle: (call, { name = '' }) => logs(parts, name, call),
  }
}
