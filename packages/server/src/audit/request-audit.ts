import type { Reason, RequestInfo } from '@pergola/api'
import type { Answer, Caller, IncomingRequest, NotedOperation } from '../call/call.ts'
import { shownPath } from '../base/shown-path.ts'
import type { AuditEntry } from './audit-entry.ts'
import { eventOf } from './event-of.ts'

const unsafe = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const denials = new Set<Reason>(['Unauthenticated', 'Forbidden', 'EscalationForbidden', 'CrossSite'])

/**
 * Collects the audit entry of one request. Entries are written for decided requests that would change something, for denied
 * requests, and for everything people do with their accounts.
 */
export interface AuditedRequest {
  /** The request itself; its notes are recorded. */
  readonly request: IncomingRequest
  classified(info: RequestInfo): void
  identified(caller: Caller): void
  /** The role whose rule allowed the request. */
  allowed(role: string): void
  answered(answer: Pick<Answer, 'status' | 'headers'>): void
  failed(reason: Reason, status: number): void
}

export type AuditRequest = (request: IncomingRequest) => AuditedRequest

/** Used when there is no audit log. */
export const unaudited: AuditRequest = (request) => ({
  request,
  classified: () => {},
  identified: () => {},
  allowed: () => {},
  answered: () => {},
  failed: () => {},
})

export function createRequestAudit(record: (entry: AuditEntry) => void): AuditRequest {
  return (incoming) => {
    const began = performance.now()
    let asked: RequestInfo | undefined
    let caller: Caller | undefined
    let role: string | undefined
    let account: string | undefined
    let operations: readonly NotedOperation[] = []
    const end = (status: number, location: string | undefined, reason?: Reason) => {
      if (!asked) return
      const event = eventOf(asked)
      const isDenied = reason !== undefined && denials.has(reason)
      const isDecided = role !== undefined && (event !== undefined || unsafe.has(asked.verb))
      if (!isDenied && !isDecided) return
      const sender = { requestId: incoming.id, ...who(caller), address: incoming.address }
      const dryRun = incoming.query.get('dryRun') === 'true' ? { dryRun: true as const } : {}
      const result = { status, ms: Math.round((performance.now() - began) * 10) / 10 }
      record({
        ...(event !== undefined && { event: status < 400 ? event : `${event}-failed` }),
        ...sender,
        verb: asked.verb,
        ...what(asked, location),
        ...(account !== undefined && { account }),
        ...dryRun,
        ...decisionOf(role, reason),
        ...result,
      })
      for (const { info, name, by, reason: why } of operations) {
        const target = { verb: info.verb, ...what(info, name) }
        record({ ...sender, ...target, ...dryRun, ...decisionOf(by, why), ...result })
      }
    }
    const note: IncomingRequest['note'] = ({ operations: noted, ...facts }) => {
      account = facts['account'] ?? account
      operations = noted ?? operations
      incoming.note(facts)
    }
    return {
      request: { ...incoming, note },
      classified: (info) => {
        asked = info
      },
      identified: (found) => {
        caller = found
      },
      allowed: (name) => {
        role = name
      },
      answered: ({ status, headers }) => end(status, headers?.['location']),
      failed: (reason, status) => end(status, undefined, reason),
    }
  }
}

function decisionOf(role: string | undefined, reason: Reason | undefined) {
  return {
    decision: reason !== undefined && denials.has(reason) ? ('denied' as const) : ('allowed' as const),
    ...(role !== undefined && { by: role }),
    ...(reason !== undefined && { reason }),
  }
}

function who(caller: Caller | undefined): Pick<AuditEntry, 'how' | 'user' | 'token' | 'through'> {
  if (!caller) return { how: 'refused' }
  if (caller.kind === 'plugin') return { user: caller.name, how: 'plugin' }
  const through = caller.through === undefined ? {} : { through: caller.through }
  if (caller.kind === 'anonymous') return { how: 'anonymous', ...through }
  const { name: user, via, sessionId, tokenName: token } = caller
  if (via === 'cookie') return { user, how: 'cookie', ...through }
  if (sessionId !== undefined) return { user, how: 'session', ...through }
  return { user, how: 'token', ...(token !== undefined && { token }), ...through }
}

/** A generated name is in the answer's `Location`. */
function what(info: RequestInfo, location: string | undefined): Partial<AuditEntry> {
  if (info.kind === 'non-resource') return { path: shownPath(info.path) }
  const { group, resource, subresource } = info
  const made = info.verb === 'create' ? location?.slice(location.lastIndexOf('/') + 1) : undefined
  const name = info.name ?? made
  return {
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name !== undefined && { name }),
  }
}
