import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readYamlDocuments } from '../../packages/server/src/base/yaml-documents.ts'
import { readTemplate, renderNodes, type Node, type TemplateScope } from './render-template.ts'
import { readYaml } from './yaml-files.ts'

const folder = 'deploy/helm/pergola'

/** The part of a Kubernetes object that is checked. */
export interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: unknown
  readonly automountServiceAccountToken?: boolean
}

export interface ChartValues {
  readonly replicas: number
  readonly existingSecret: string
  readonly config: {
    readonly server: { readonly port: number; readonly stopDelay: number; readonly drainTimeout: number }
    readonly metrics: { readonly port: number }
    readonly plugins: { readonly directory: string }
    readonly database?: object
  }
  readonly terminationGracePeriodSeconds: number
  readonly [name: string]: unknown
}

export function chartValues(): ChartValues {
  return readYaml(join(folder, 'values.yaml')) as ChartValues
}

/** Renders the chart with the values, as Helm does. */
export function renderChart(values: ChartValues): readonly KubernetesObject[] {
  const { appVersion } = readYaml(join(folder, 'Chart.yaml')) as { appVersion: string }
  const root = { Values: values, Release: { Name: 'pergola', Service: 'Helm' }, Chart: { AppVersion: appVersion } }
  const defined: TemplateScope['defined'] = new Map<string, readonly Node[]>()
  const files = globSync(join(folder, 'templates/*')).toSorted()
  const read = files.map((file) => ({ file, nodes: readTemplate(readFileSync(file, 'utf8'), defined) }))
  return read.flatMap(({ file, nodes }) => {
    try {
      const text = renderNodes(nodes, { dot: root, root, defined })
      return file.endsWith('.yaml') ? (readYamlDocuments(text) as readonly KubernetesObject[]) : []
    } catch (error) {
      throw new Error(`${basename(file)}: ${(error as Error).message}`, { cause: error })
    }
  })
}
