import type { ConformanceFault } from '../planted-fault.ts'
import { anyGroup, anyName } from './roles.ts'

const requestInfo = 'packages/api/src/request-info.ts'
const pipeline = 'packages/server/src/pipeline.ts'
const roleModel = 'packages/server/src/access/role-model.ts'
const builtInRoles = 'packages/server/src/access/built-in-roles.ts'
const resourceTable = 'packages/server/src/access/decisions/resource-table.ts'
const pathTable = 'packages/server/src/access/decisions/path-table.ts'
const roleGraph = 'packages/server/src/access/decisions/role-graph.ts'

/** A verb that comes with another one. */
function alsoGranted(promise: string, verb: string, other: string): ConformanceFault {
  return {
    promise,
    what: `who may ${verb} may ${other}`,
    file: 'packages/server/src/access/decisions/grants.ts',
    find: "const wanted = granted.includes('*') ? verbs : granted",
    replace: `const more = granted.includes('${verb}') ? ['${other}'] : []
  const wanted = granted.includes('*') ? verbs : [...granted, ...more]`,
  }
}

const requests: readonly ConformanceFault[] = [
  {
    promise: 'S1-5',
    what: 'the signed-in list everything',
    file: builtInRoles,
    find: "apiGroups: ['uc.api.platform.run'],\n    resources: ['personalaccesstokens'],",
    replace: "apiGroups: ['*'],\n    resources: ['*'],",
  },
  {
    promise: 'S5-4',
    what: 'resource paths below /api have at most 4 segments',
    file: requestInfo,
    find: 'segments.length > 4',
    replace: 'segments.length > 3',
  },
  {
    promise: 'S5-5',
    what: 'resource paths below /apis have up to 7 segments',
    file: requestInfo,
    find: 'segments.length > 4',
    replace: 'segments.length > 5',
  },
  { promise: 'S5-6', what: 'names are not matched', ...anyName },
  {
    promise: 'S5-7',
    what: 'capitals do not count',
    file: requestInfo,
    find: "if (root === 'api') return",
    replace: "if (root?.toLowerCase() === 'api') return",
  },
  alsoGranted('S5-8', 'create', 'update'),
  alsoGranted('S5-9', 'get', 'list'),
  alsoGranted('S5-10', 'list', 'get'),
  {
    promise: 'S5-11',
    what: 'a stream is a list',
    file: requestInfo,
    find: "      if (asksForStream(head)) return 'watch'\n",
    replace: '',
  },
  alsoGranted('S5-12', 'update', 'patch'),
  alsoGranted('S5-13', 'patch', 'update'),
  alsoGranted('S5-14', 'delete', 'deletecollection'),
  alsoGranted('S5-15', 'deletecollection', 'delete'),
  {
    promise: 'S5-16',
    what: 'HEAD of a collection is a get',
    file: requestInfo,
    find: "case 'HEAD':\n      return named ? 'get' : 'list'",
    replace: "case 'HEAD':\n      return 'get'",
  },
  {
    promise: 'C1-44',
    what: 'permissions are for administrators',
    file: 'packages/server/src/host-api/permissions.ts',
    find: "path: '/apis/api.platform.run/",
    replace: "path: '/apis/console.api.platform.run/",
  },
  {
    promise: 'C1-47',
    what: 'PUT is a patch',
    file: requestInfo,
    find: "return 'update'",
    replace: "return 'patch'",
  },
  {
    promise: 'C2-93',
    what: 'a status goes by the name of its resource',
    file: resourceTable,
    find: 'listed.get(resourceOf(request))',
    replace: 'listed.get(request.resource)',
  },
  {
    promise: 'C7-30',
    what: 'permissions are always sent again',
    file: 'packages/server/src/base/tagged-answer.ts',
    find: 'if (isNotModified(request.headers, etag)) return',
    replace: "if (isNotModified(request.headers, etag) && etag === '') return",
  },
  {
    promise: 'C2-105',
    what: 'a collection is deleted without asking its model',
    file: 'packages/server/src/models/delete-collection.ts',
    find: 'hasRules ? deleteOneByOne : deleteTogether',
    replace: 'hasRules && isOver() ? deleteOneByOne : deleteTogether',
  },
  {
    promise: 'C3-77',
    what: 'who has a cursor may go on',
    file: pipeline,
    find: 'const { by, until } = await permit(authenticated, info)',
    replace: `const asked: RequestInfo = request.query.has('continue') ? { kind: 'non-resource', verb: 'get', path: '/livez' } : info
    const { by, until } = await permit(authenticated, asked)`,
  },
  {
    promise: 'C4-45',
    what: 'everybody is told who holds a value',
    file: 'packages/server/src/dispatch/dispatch.ts',
    find: 'throw (await mayGet(holder)) ? error : withoutHolder(error, model)',
    replace: 'throw (await mayGet(holder)) ? error : (withoutHolder(error, model), error)',
  },
  {
    promise: 'C5-30',
    what: 'a denial does not say the name',
    file: 'packages/server/src/access/decisions/describe-request.ts',
    find: 'const named = request.name === undefined ? resource :',
    replace: "const named = request.name !== '' ? resource :",
  },
  {
    promise: 'C7-15',
    what: 'escalation has no reason of its own',
    file: 'packages/server/src/access/escalation.ts',
    find: "return new ApiError('EscalationForbidden'",
    replace: "return new ApiError('Forbidden'",
  },
  {
    promise: 'C7-26',
    what: 'another site is not told so',
    file: 'packages/server/src/authn/same-site.ts',
    find: "    'CrossSite',",
    replace: "    'Forbidden',",
  },
  {
    promise: 'C7-7',
    what: 'what is in use is said to exist',
    file: roleModel,
    find: "throw new ApiError('InUse'",
    replace: "throw new ApiError('AlreadyExists'",
  },
  {
    promise: 'C5-30',
    what: 'everybody who is denied gets 401',
    file: pipeline,
    find: "throw new ApiError('Forbidden', decision.reason(), { params: decision.params() })",
    replace: "throw new ApiError('Unauthenticated', decision.reason())",
  },
]

const ofTheContract: readonly ConformanceFault[] = [
  {
    promise: 'C7-90',
    what: 'who shows a wrong token is anonymous',
    file: 'packages/server/src/authn/authenticate.ts',
    find: "if (!holder) throw unauthenticated('the bearer token is unknown or has expired')",
    replace: "if (!holder) return { kind: 'anonymous' }",
  },
  {
    promise: 'C7-91',
    what: 'a token in the URL is taken',
    file: pipeline,
    find: 'const authenticated = await authenticateAgain()',
    replace: `const token = request.query.get('token')
    const authenticated = await authenticate({ ...credentials, ...(token && { authorization: \`Bearer \${token}\` }) })`,
  },
  {
    promise: 'C7-92',
    what: 'every resource has no sub-resources',
    file: resourceTable,
    find: 'const anyway = star ? ',
    replace: 'const anyway = star && request.subresource === undefined ? ',
  },
  {
    promise: 'C7-93',
    what: 'a rule on a plural grants its sub-resources',
    file: resourceTable,
    find: 'listed.get(resourceOf(request))',
    replace: 'listed.get(request.resource)',
  },
  { promise: 'C7-94', what: 'the core group is every group', ...anyGroup },
  {
    promise: 'C7-95',
    what: 'a rule with names also covers collections',
    file: resourceTable,
    find: '  const unnamed = firstRule(every, verb)\n',
    replace: `  const unnamed = firstRule(every, verb)
  if (named && name === undefined) return Math.min(unnamed, ...Array.from(named.values(), (one) => firstRule(one, verb)))
`,
  },
  {
    promise: 'C7-97',
    what: 'what is below a prefix includes the prefix',
    file: pathTable,
    find: 'lengths.add(prefix.length)',
    replace: `lengths.add(prefix.length)
          exact.set(url.slice(0, -2), addGrant(exact.get(url.slice(0, -2)), granted, at))`,
  },
  {
    promise: 'C7-98',
    what: 'a star may stand inside a resource',
    file: roleModel,
    find: 'const resources = words(wildcards.resource)',
    replace: "const resources = words('^.+$')",
  },
  {
    promise: 'C7-99',
    what: 'only the nearest bundled roles count',
    file: roleGraph,
    find: 'for (const [name, reached] of found) {',
    replace: 'for (const [name, reached] of found) {\n    if (reached.from) continue',
  },
  {
    promise: 'C7-107',
    what: 'a dependency is still missing once it is there',
    file: 'packages/server/src/access/report-missing-dependencies.ts',
    find: 'if (missing.join() !== reportedIn(object).join())',
    replace: 'if (missing.length > reportedIn(object).length)',
  },
  {
    promise: 'C7-100',
    what: 'the signed-in read all of /apis',
    file: builtInRoles,
    find: "nonResourceURLs: ['/apis', ",
    replace: "nonResourceURLs: ['/apis', '/apis/*', ",
  },
  {
    promise: 'C7.1-4',
    what: 'whoever is disabled is weak',
    file: 'packages/server/src/access/escalation.ts',
    find: 'rights.readBound(user)',
    replace: 'rights.readUser(user)',
  },
  {
    promise: 'C7-102',
    what: 'a dead binding counts',
    file: 'packages/server/src/access/administrators.ts',
    find: "of livingBindingsWhere(parts, 'roleRef.name'",
    replace: "of bindingsWhere(parts, 'roleRef.name'",
  },
  {
    promise: 'C7-43',
    what: 'a token sets passwords',
    file: 'packages/server/src/host-api/user-password.ts',
    find: "  refuseTokens(call, 'sets no password')\n",
    replace: '',
  },
  {
    promise: 'C7-105',
    what: 'a held binding keeps its last subject',
    file: 'packages/server/src/access/user-model.ts',
    find: 'if (subjects.length === 0 && !held) return',
    replace: 'if (subjects.length === 0) return',
  },
]

/** Promises of S5, and of the contract on what a request is and what rules mean. */
export const authorizationFaults: readonly ConformanceFault[] = [...requests, ...ofTheContract]
