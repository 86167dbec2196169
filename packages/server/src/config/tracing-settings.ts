export interface TracingSettings {
  readonly url?: string
  readonly sampling: number
}

export const tracingSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    url: {
      type: 'string',
      format: 'http-url',
      description:
        'Address at which an OpenTelemetry collector accepts spans by OTLP over HTTP, such as `http://localhost:4318/v1/traces`. Without it nothing is traced.',
    },
    sampling: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description:
        'Share of the requests that are traced. The id of a trace decides, so that programs with the same share choose the same.',
    },
  },
} as const
