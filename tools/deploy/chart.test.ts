import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { chartValues, renderChart, type ChartValues, type KubernetesObject } from './chart.ts'
import { readTemplate, renderNodes } from './render-template.ts'
import { readYaml } from './yaml-files.ts'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean
  readonly enableServiceLinks: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number }
  readonly containers: readonly {
    readonly image: string
    readonly args: readonly string[]
    readonly env: readonly { readonly name: string }[]
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    readonly securityContext: object
    readonly startupProbe: Probe
    readonly livenessProbe: Probe
    readonly readinessProbe: Probe
  }[]
  readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[]
}

interface ServiceSpec {
  readonly ports: readonly { readonly targetPort: string }[]
}

interface DeploymentSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> }
    readonly spec: PodSpec
  }
}

const values: ChartValues = { ...chartValues(), existingSecret: 'ours' }
const rendered = renderChart(values)
const deployment = only('Deployment').spec as DeploymentSpec
const pod = deployment.template.spec
const [container] = pod.containers
if (!container) throw new Error('there is no container')

function only(kind: string, among: readonly KubernetesObject[] = rendered): KubernetesObject {
  const found = among.filter((object) => object.kind === kind)
  expect(found, kind).toHaveLength(1)
  return found[0] as KubernetesObject
}

test('the chart creates the objects of one installation, and no password', () => {
  const kinds = rendered.map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual([
    'ConfigMap',
    'Deployment',
    'PodDisruptionBudget',
    'Service',
    'Service',
    'ServiceAccount',
  ])
  for (const { metadata } of rendered) {
    expect(metadata.name).toMatch(/^pergola(-metrics)?$/)
    expect(metadata.labels).toMatchObject(deployment.selector.matchLabels)
  }
  expect(deployment.template.metadata.labels).toMatchObject(deployment.selector.matchLabels)
})

test('the name of the secret is required', () => {
  expect(() => renderChart(chartValues())).toThrow('existingSecret is the name of a Secret')
})

test('the server accepts its configuration', () => {
  const text = only('ConfigMap').data?.['pergola.yaml'] ?? ''
  const env = Object.fromEntries(container.env.map(({ name }) => [name, 'postgres://user:password@host:5432/database']))
  const config = loadConfig({ file: { name: 'pergola.yaml', text }, env })
  expect(config.server).toMatchObject({ host: '0.0.0.0', port: 8090, stopDelay: 10 })
  expect(config.plugins.directory).toBe('/etc/pergola/plugins')
  expect(config.secrets.keys).toEqual([{ file: '/run/secrets/pergola/sealing-key' }])
})

test('the password of the database can be a file, for servers and for backups', () => {
  const database = { url: 'postgres://pergola@host:5432/pergola', passwordFile: '/run/secrets/pergola/password' }
  const made = renderChart({
    ...values,
    databaseUrlKey: '',
    secretFiles: ['password'],
    config: { ...values.config, database },
    backup: { ...(values['backup'] as object), enabled: true, volume: { emptyDir: {} } },
  })
  const text = JSON.stringify([only('Deployment', made), only('CronJob', made)])
  expect(text).not.toContain('PERGOLA_DATABASE_URL')
  const projected = /"secretName":"ours","defaultMode":\d+,"items":\[\{"key":"password","path":"password"\}\]/g
  expect(text.match(projected)).toHaveLength(2)
  expect(text.match(/"mountPath":"\/run\/secrets\/pergola"/g)).toHaveLength(2)
})

test('approvals and settings of plugins are passed on unchanged', () => {
  const plugins = {
    ...values.config.plugins,
    approve: { todo: ['get secrets smtp'] },
    settings: { todo: { webhook: 'https://hooks.example.com/todo', token: { file: '/run/secrets/todo/token' } } },
  }
  const made = renderChart({ ...values, config: { ...values.config, plugins } })
  const text = only('ConfigMap', made).data?.['pergola.yaml'] ?? ''
  expect(loadConfig({ file: { name: 'pergola.yaml', text }, env: {} }).plugins).toMatchObject(plugins)
})

test('every file that the configuration names is mounted', () => {
  const text = only('ConfigMap').data?.['pergola.yaml'] ?? ''
  const named = [...text.matchAll(/: "?(\/[\w/.-]+)"?/g)].map(([, file = '']) => file)
  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((file) => !mounts.some((mount) => file === mount || file.startsWith(`${mount}/`)))).toEqual([])
  const volumes = pod.volumes.map(({ name }) => name)
  expect(new Set(container.volumeMounts.map(({ name }) => name))).toEqual(new Set(volumes))
  expect(container.args).toContain(container.volumeMounts.find(({ name }) => name === 'config')?.mountPath)
})

test('ports match the configuration, and probes use them by name', () => {
  const { server, metrics } = values.config
  expect(container.ports).toEqual([
    { name: 'http', containerPort: server.port },
    { name: 'metrics', containerPort: metrics.port },
  ])
  expect(container.startupProbe.httpGet).toEqual({ path: '/livez', port: 'http', scheme: 'HTTP' })
  expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http', scheme: 'HTTP' })
  expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http', scheme: 'HTTP' })
  const targets = rendered.filter(({ kind }) => kind === 'Service').map(({ spec }) => (spec as ServiceSpec).ports)
  expect(targets).toMatchObject([[{ targetPort: 'metrics' }], [{ targetPort: 'http' }]])
})

test('the grace period of a pod is longer than the stop of the server, including its stop delay', () => {
  const { stopDelay, drainTimeout } = values.config.server
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopDelay + drainTimeout + 5)
  const { periodSeconds, failureThreshold } = container.readinessProbe
  expect(stopDelay).toBeGreaterThan(periodSeconds * failureThreshold)
})

test('pods have no unneeded privileges', () => {
  expect(only('ServiceAccount').automountServiceAccountToken).toBe(false)
  expect(pod.automountServiceAccountToken).toBe(false)
  expect(pod.enableServiceLinks).toBe(false)
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
})

test('the chart has the version of the host', () => {
  const { version } = readYaml('packages/cli/package.json') as { version: string }
  expect(container.image).toBe(`pergola:${version}`)
})

describe('optional objects depend on the values:', () => {
  test('one replica has no disruption budget', () => {
    expect(renderChart({ ...values, replicas: 1 }).map(({ kind }) => kind)).not.toContain('PodDisruptionBudget')
  })

  test('an ingress points at the service', () => {
    const ingress = { ...(values['ingress'] as object), enabled: true, className: 'nginx', annotations: { a: 'b' } }
    const { spec, metadata } = only('Ingress', renderChart({ ...values, ingress }))
    expect(metadata).toMatchObject({ annotations: { a: 'b' } })
    const service = { name: 'pergola', port: { name: 'http' } }
    expect(spec).toMatchObject({ ingressClassName: 'nginx', rules: [{ http: { paths: [{ backend: { service } }] } }] })
  })

  test('a second sealing key is mounted, and the administrator need not be', () => {
    const made = renderChart({ ...values, secretFiles: ['sealing-key-2', 'sealing-key'] })
    const { volumes } = (only('Deployment', made).spec as DeploymentSpec).template.spec
    const items = [
      { key: 'sealing-key-2', path: 'sealing-key-2' },
      { key: 'sealing-key', path: 'sealing-key' },
    ]
    expect(volumes).toContainEqual({ name: 'secrets', secret: expect.objectContaining({ items }) as object })
  })

  test('a network policy admits its peers to the ports that the pods have', () => {
    const networkPolicy = { enabled: true, api: [{ podSelector: {} }], metrics: [] }
    const { spec } = only('NetworkPolicy', renderChart({ ...values, networkPolicy }))
    expect(spec).toMatchObject({
      podSelector: deployment.selector,
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'http' }], from: [{ podSelector: {} }] }],
    })
    expect((spec as { ingress: object[] }).ingress).toHaveLength(1)
  })

  test('a pod monitor selects the pods', () => {
    const made = renderChart({ ...values, podMonitor: { enabled: true, interval: '15s' } })
    const podMetricsEndpoints = [{ port: 'metrics', path: '/metrics', interval: '15s' }]
    expect(only('PodMonitor', made).spec).toEqual({ selector: deployment.selector, podMetricsEndpoints })
  })

  test('backups run with the configuration of the server, and need a volume', () => {
    const backup = { ...(values['backup'] as object), enabled: true }
    expect(() => renderChart({ ...values, backup })).toThrow('backup.volume is the volume for backups')
    const volume = { persistentVolumeClaim: { claimName: 'backups' } }
    const made = only('CronJob', renderChart({ ...values, backup: { ...backup, volume } }))
    const { template } = (made.spec as { jobTemplate: { spec: { template: { metadata: object; spec: PodSpec } } } })
      .jobTemplate.spec
    const [job] = template.spec.containers
    expect(job?.env.map(({ name }) => name)).toEqual(['PERGOLA_DATABASE_URL'])
    expect(job?.args[0]).toContain('pergola backup verify "$to"')
    expect(template.spec.volumes).toContainEqual({ name: 'backups', ...volume })
    // Otherwise the services would send requests to it.
    expect(template).not.toMatchObject({ metadata: { labels: deployment.selector.matchLabels } })
  })

  test('more environment, volumes and places to run', () => {
    const made = renderChart({
      ...values,
      extraEnv: [{ name: 'TODO_TOKEN', value: 'x' }],
      extraVolumes: [{ name: 'nats', secret: { secretName: 'nats' } }],
      extraVolumeMounts: [{ name: 'nats', mountPath: '/run/secrets/nats' }],
      pluginsVolume: { persistentVolumeClaim: { claimName: 'packages' } },
      imagePullSecrets: [{ name: 'registry' }],
      podAnnotations: { 'prometheus.io/scrape': 'true' },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'x', operator: 'Exists' }],
      affinity: { nodeAffinity: { x: 'y' } },
    })
    const { spec, metadata } = (only('Deployment', made).spec as { template: { metadata: object; spec: PodSpec } })
      .template
    expect(metadata).toMatchObject({ annotations: { 'prometheus.io/scrape': 'true' } })
    expect(spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'x', operator: 'Exists' }],
      affinity: { nodeAffinity: { x: 'y' } },
    })
    expect(spec.containers[0]?.env.map(({ name }) => name)).toEqual(['PERGOLA_DATABASE_URL', 'TODO_TOKEN'])
    expect(spec.containers[0]?.volumeMounts.at(-1)).toEqual({ name: 'nats', mountPath: '/run/secrets/nats' })
    expect(spec.volumes).toContainEqual({ name: 'plugins', persistentVolumeClaim: { claimName: 'packages' } })
    expect(spec.volumes).toContainEqual({ name: 'nats', secret: { secretName: 'nats' } })
  })
})

test('the schema of the values accepts them, and names a mistake', () => {
  const schema = JSON.parse(readFileSync('deploy/helm/pergola/values.schema.json', 'utf8')) as object
  const check = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema)
  expect(check(values), JSON.stringify(check.errors)).toBe(true)
  expect(Object.keys((schema as { properties: object }).properties).toSorted()).toEqual(
    [...Object.keys(values), 'global'].toSorted(),
  )
  expect(check({ ...values, replica: 3 })).toBe(false)
  expect(check(chartValues())).toBe(false)
})

describe('the renderer rejects unsupported templates:', () => {
  const render = (text: string) => {
    const defined = new Map<string, ReturnType<typeof readTemplate>>()
    return renderNodes(readTemplate(text, defined), { dot: { a: { b: 1 } }, root: {}, defined })
  }

  test.each([
    ['{{ if .a }}x', 'has no {{ end }}'],
    ['x{{ end }}', 'unexpected {{ end }}'],
    ['{{ range .a }}x{{ end }}', 'needs a list'],
    ['{{ block .a }}x{{ end }}', '"block" is more than'],
    ['{{ lookup .a }}', '"lookup" is more than'],
    ['{{ .a.c }}', '.a.c does not exist'],
    ['{{ .a }}', 'expected a string'],
    ['{{ include "x" . }}', '"x" is not defined'],
    ['{{ (int .a.b }}', 'missing closing bracket'],
  ])('%s', (text, fault) => {
    expect(() => render(text)).toThrow(fault)
  })

  test('supported templates are rendered as by Helm', () => {
    expect(render('a:\n  {{- with .a }}\n  b: {{ .b | quote }}\n  {{- end }}\n')).toBe('a:\n  b: "1"\n')
    expect(render('{{ define "x" -}}\nk: {{ .b }}\n{{- end }}{{ include "x" .a | nindent 2 }}')).toBe('\n  k: 1')
    expect(render('{{ if gt (int .a.b) 1 }}more{{ else }}one{{ end }}')).toBe('one')
  })
})
