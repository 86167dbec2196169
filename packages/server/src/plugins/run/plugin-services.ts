import { ApiError, requestInfo, type RequestInfo } from '@pergola/api'
import { pathNotFound } from '../../call/not-found.ts'
import type { Answer, IncomingRequest, PluginCaller } from '../../call/call.ts'
import { methodNotAllowed } from '../../call/method-not-allowed.ts'
import { fenceOf } from '../../models/fence.ts'
import { createLeaseApi, type LeaseApiParts } from './lease-api.ts'
import { createScheduleApi, type ScheduleApiParts } from './schedule-api.ts'
import { writeSpan } from './span-api.ts'

export interface PluginServiceParts extends LeaseApiParts, ScheduleApiParts {
  /** The plugin that sends the request for itself; throws for any other caller. */
  readonly callerOf: (request: IncomingRequest) => Promise<PluginCaller>
}

interface Asked {
  readonly caller: PluginCaller
  readonly name: string
  readonly request: IncomingRequest
  readonly info: RequestInfo
}

type Service = Readonly<Record<string, (asked: Asked) => Promise<Answer>>>

const prefix = '/pergola/'
const nameForm = /^[A-Za-z][A-Za-z0-9-]{0,62}$/

/**
 * Services of the host for plugins besides the API, only on the plugins' socket. Every plugin may use them, so no rule is
 * checked; they are not audited, since requests come every few seconds and change no objects of users. Undefined for every other path.
 */
export function createPluginServices(
  parts: PluginServiceParts,
): (request: IncomingRequest) => Promise<Answer> | undefined {
  const leases = createLeaseApi(parts)
  const schedules = createScheduleApi(parts)
  const services: Readonly<Record<string, Service>> = {
    leases: {
      PUT: ({ caller, name, request }) => leases.take(caller, name, request),
      DELETE: ({ caller, name }) => leases.giveBack(caller, name),
    },
    schedules: {
      GET: ({ caller, name, request }) => schedules.read(caller, name, request),
      PUT: ({ caller, name, request, info }) =>
        schedules.write(caller, name, { request, fence: fenceOf({ info, caller, request }) }),
    },
    spans: { PUT: ({ caller, name, request }) => writeSpan(caller, name, request) },
  }
  const answer = async (request: IncomingRequest) => {
    const caller = await parts.callerOf(request)
    request.note({ user: caller.name })
    const info = requestInfo(request)
    const [kind = '', name = '', ...rest] = info.path.slice(prefix.length).split('/')
    const service = Object.hasOwn(services, kind) ? services[kind] : undefined
    if (!service || rest.length > 0) throw pathNotFound(info.path)
    if (!nameForm.test(name)) {
      throw new ApiError(
        'BadRequest',
        'a name must begin with a letter and contain only letters, digits and "-", 63 at most',
      )
    }
    const act = Object.hasOwn(service, request.method) ? service[request.method] : undefined
    if (!act) throw methodNotAllowed(`${request.method} is not served at ${info.path}`, Object.keys(service))
    return act({ caller, name, request, info })
  }
  return (request) => (request.target.startsWith(prefix) ? answer(request) : undefined)
}
