import type { Answer, Call, Handler } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { Model } from '../models/model.ts'
import { discoveryDocument } from './discovery-document.ts'
import { versionsOf, type CustomApis, type GroupVersion } from './group-version.ts'
import { openApiDocument } from './openapi-document.ts'
import { referenceHeaders, referenceIndex, referencePage } from './reference-page.ts'
import { taggedAnswer } from '../call/tagged-answer.ts'

const html = 'text/html; charset=utf-8'
const json = 'application/json'

export interface DiscoveryParts {
  readonly models: () => readonly Model[]
  readonly customApis: () => CustomApis
  readonly hostRoutes: readonly HostRoute[]
}

/** Returns the handler of a path, if there is one. */
export type FindEndpoint = (path: string) => Handler | undefined

/** Describes the API for programs and people. Documents are generated on request. */
export function createDiscovery({ models, customApis, hostRoutes }: DiscoveryParts): FindEndpoint {
  const versions = () => versionsOf(models(), customApis(), hostRoutes)
  const documents = createDocuments(versions)
  return (path) => {
    if (path === '/apis') return async (call) => documentAnswer(call, json, JSON.stringify(discoveryDocument(models())))
    if (path === '/openapi/v3')
      return async (call) => documentAnswer(call, json, JSON.stringify(openApiIndex(versions())))
    if (path === '/openapi') return async (call) => pageAnswer(call, referenceIndex(versions()))
    const version = versions().find((candidate) => path.endsWith(candidate.path))
    if (!version) return undefined
    if (path === `/openapi/v3${version.path}`) return async (call) => documentAnswer(call, json, documents(version))
    if (path !== `/openapi${version.path}`) return undefined
    return async (call) => pageAnswer(call, referencePage(version))
  }
}

function documentAnswer(call: Call, contentType: string, text: string): Answer {
  return { ...taggedAnswer(call, contentType, text), mayCompress: true }
}

function pageAnswer(call: Call, text: string): Answer {
  const answer = documentAnswer(call, html, text)
  return { ...answer, headers: { ...answer.headers, ...referenceHeaders } }
}

function openApiIndex(versions: readonly GroupVersion[]) {
  const entries = versions.map(({ path }) => [path.slice(1), { serverRelativeURL: `/openapi/v3${path}` }])
  return { paths: Object.fromEntries(entries) as object }
}

/** Cached until one of its models, or a plugin's custom APIs, has another declaration. */
function createDocuments(versions: () => readonly GroupVersion[]): (version: GroupVersion) => string {
  const kept = new Map<string, { readonly editions: string; readonly text: string }>()
  return (version) => {
    const declared = version.models.map(({ plural, edition }) => `${plural} ${edition}`)
    const editions = [...declared, JSON.stringify([version.routes, version.app])].join(', ')
    const known = kept.get(version.path)
    if (known?.editions === editions) return known.text
    const text = JSON.stringify(openApiDocument(version))
    const current = new Set(versions().map(({ path }) => path))
    for (const path of kept.keys()) if (!current.has(path)) kept.delete(path)
    kept.set(version.path, { editions, text })
    return text
  }
}
