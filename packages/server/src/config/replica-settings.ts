export interface ReplicaSettings {
  readonly name?: string
}

export const replicaSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    name: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
      description:
        'Name of this server process among all on the same database, in logs, metrics and `pergola replicas`. Default: the host name and the beginning of a random id.',
    },
  },
}
