import type { ConformanceFault } from '../planted-fault.ts'

const roleModel = 'packages/server/src/access/role-model.ts'
const bindingModel = 'packages/server/src/access/role-binding-model.ts'
const accessSource = 'packages/server/src/access/access-source.ts'
const builtInRoles = 'packages/server/src/access/built-in-roles.ts'
const resourceTable = 'packages/server/src/access/decisions/resource-table.ts'
const pathTable = 'packages/server/src/access/decisions/path-table.ts'
const roleGraph = 'packages/server/src/access/decisions/role-graph.ts'

const noDependencies = {
  file: roleGraph,
  find: "for (const dependency of reached.definition.dependencies) add(dependency, { reached, by: 'dependency' })",
  replace: '',
}
const noAggregation = {
  file: roleGraph,
  find: "for (const source of aggregated.get(name) ?? []) add(source, { reached, by: 'aggregation' })",
  replace: '',
}
export const anyGroup = {
  file: resourceTable,
  find: 'const inGroup = firstResource(groups.get(request.group), request, verb)',
  replace: `const inGroup = Math.min(noRule, ...Array.from(groups.values(), (known) => firstResource(known, request, verb)))`,
}
export const anyName = { file: resourceTable, find: 'if (names.length === 0) {', replace: 'if (names.length >= 0) {' }
const noEmptyLists = {
  file: 'packages/server/src/access/decisions/understood-rule.ts',
  find: 'Array.isArray(words) && words.every(',
  replace: 'Array.isArray(words) && words.length > 0 && words.every(',
}
const anyCoreGroup = {
  file: bindingModel,
  find: "const coreGroup = { const: '', default: '' }",
  replace: "const coreGroup = { type: 'string', default: '' }",
}
const anonymousNotHeld = {
  file: accessSource,
  find: "= [{ name: 'anonymous' }, { name: 'authenticated' }]",
  replace: "= [{ name: 'authenticated' }]",
}

const roles: readonly ConformanceFault[] = [
  {
    promise: 'S2.8-1',
    what: 'a role needs no rules',
    file: roleModel,
    find: "    required: ['rules'],\n",
    replace: '',
  },
  {
    promise: 'S2.8-3',
    what: 'annotations are not kept',
    file: 'packages/server/src/models/object-bytes.ts',
    find: ', ...(annotations && { annotations }) }',
    replace: ', ...(annotations && { annotations: {} }) }',
  },
  {
    promise: 'S2.8-4',
    what: 'any value makes a template',
    file: 'packages/server/src/access/role-words.ts',
    find: "isTemplate: labels[roleKeys.template] === 'true'",
    replace: "isTemplate: labels['platform.run/role-template'] !== undefined",
  },
  {
    promise: 'S2.8-5',
    what: 'labels are not indexed',
    file: 'packages/server/src/models/indexed-object.ts',
    find: 'labels: object.metadata.labels ?? {}',
    replace: 'labels: {}',
  },
  {
    promise: 'S2.8-6',
    what: 'what is left out is selected',
    file: 'packages/server/src/models/list-query.ts',
    find: "return { op: 'not in', values: [keyOf(term, type, term.value)] }",
    replace: "return { op: 'in', values: [keyOf(term, type, term.value)] }",
  },
  { promise: 'C7-3', what: 'managing comes without viewing', ...noDependencies },
  {
    promise: 'S2.8-8',
    what: 'UI permissions of bundled roles are left out',
    file: 'packages/server/src/access/decisions/role-book.ts',
    find: 'const permissions = graph.reach(names).flatMap(({ definition }) => definition.uiPermissions)',
    replace: 'const permissions = names.flatMap((name) => graph.roles.get(name)?.uiPermissions ?? [])',
  },
]

const rules: readonly ConformanceFault[] = [
  {
    promise: 'S2.9-1',
    what: 'a name may be a number',
    file: roleModel,
    find: "items: { type: 'string', pattern: wildcards.none }",
    replace: 'items: { pattern: wildcards.none }',
  },
  {
    promise: 'S2.9-2',
    what: 'paths may be anything',
    file: roleModel,
    find: 'const paths = words(wildcards.path)',
    replace: 'const paths = {}',
  },
  { promise: 'S2.9-3', what: 'a rule of one group holds in every group', ...anyGroup },
  {
    promise: 'S2.9-4',
    what: 'a bare plural matches nothing',
    file: resourceTable,
    find: 'listed.get(resourceOf(request))',
    replace: 'listed.get(`core/${resourceOf(request)}`)',
  },
  { promise: 'C7-95', what: 'names restrict nothing', ...anyName },
  { promise: 'S2.9-6', what: 'no names are no objects', ...noEmptyLists },
  {
    promise: 'S2.9-7',
    what: 'there is a ninth verb',
    file: roleModel,
    find: "items: { enum: [...verbs, '*'] }",
    replace: "items: { enum: [...verbs, '*', 'read'] }",
  },
  {
    promise: 'S2.9-8',
    what: 'one verb is not among all',
    file: 'packages/server/src/access/decisions/grants.ts',
    find: "const wanted = granted.includes('*') ? verbs : granted",
    replace: "const wanted = granted.includes('*') ? verbs.filter((verb) => verb !== 'deletecollection') : granted",
  },
  {
    promise: 'C7-97',
    what: 'a star at the end covers nothing',
    file: pathTable,
    find: 'below.set(prefix, addGrant(below.get(prefix), granted, at))',
    replace: 'exact.set(prefix, addGrant(exact.get(prefix), granted, at))',
  },
]

const bindings: readonly ConformanceFault[] = [
  {
    promise: 'S2.10-1',
    what: 'a binding is of another kind',
    file: bindingModel,
    find: "kind: 'RoleBinding',",
    replace: "kind: 'Binding',",
  },
  { promise: 'S2.10-2', what: 'a role may be of any group', ...anyCoreGroup },
  {
    promise: 'S2.10-3',
    what: 'a role may be of any kind',
    file: bindingModel,
    find: "kind: { const: 'Role', default: 'Role' }",
    replace: "kind: { type: 'string', default: 'Role' }",
  },
  {
    promise: 'C7-6',
    what: 'whether there is such a role is not looked up',
    file: bindingModel,
    find: 'if (!(await store.get(roles, role))) errors.push(',
    replace: "if (role === '') errors.push(",
  },
  {
    promise: 'S2.10-5',
    what: 'a subject may be of any kind',
    file: bindingModel,
    find: "kind: { const: 'User', default: 'User' }",
    replace: "kind: { type: 'string', default: 'User' }",
  },
  {
    promise: 'S2.10-6',
    what: 'only the first subject counts',
    file: bindingModel,
    find: '.map((subject) => subject.name)',
    replace: '.slice(0, 1).map((subject) => subject.name)',
  },
  { promise: 'C7-4', what: 'labels aggregate nothing', ...noAggregation },
  { promise: 'S1-6', what: 'role templates are aggregated into nothing', ...noAggregation },
  {
    promise: 'S2.11-2',
    what: 'nothing is ever public',
    file: accessSource,
    find: "caller.kind === 'anonymous' ? now.anonymous :",
    replace: "caller.kind === 'anonymous' ? { ...now.anonymous, find: floor.find } :",
  },
  { promise: 'S2.11-3', what: 'what aggregates to a later role is forgotten', ...noAggregation },
]

const ofTheHost: readonly ConformanceFault[] = [
  {
    promise: 'S2.12-1',
    what: 'anonymous is shown',
    file: builtInRoles,
    find: "name: 'anonymous',\n    labels: hidden,",
    replace: "name: 'anonymous',",
  },
  {
    promise: 'S2.12-2',
    what: 'authenticated is shown',
    file: builtInRoles,
    find: "name: 'authenticated',\n    labels: hidden,",
    replace: "name: 'authenticated',",
  },
  { promise: 'S2.12-3', what: 'the signed-in are no visitors', ...anonymousNotHeld },
  {
    promise: 'S2.12-4',
    what: 'the signed-in are visitors alone',
    file: accessSource,
    find: "= [{ name: 'anonymous' }, { name: 'authenticated' }]",
    replace: "= [{ name: 'anonymous' }]",
  },
  {
    promise: 'S2.12-5',
    what: 'the super administrator only reads other paths',
    file: builtInRoles,
    find: "{ nonResourceURLs: ['*'], verbs: ['*'] }",
    replace: "{ nonResourceURLs: ['*'], verbs: ['get'] }",
  },
  {
    promise: 'S2.12-6',
    what: 'the super administrator can be edited',
    file: roleModel,
    find: 'if (before && name === superAdministrator) {',
    replace: 'if (before && !after && name === superAdministrator) {',
  },
  {
    promise: 'S2.12-7',
    what: 'a visitor is anonymous alone',
    file: builtInRoles,
    find: "...dependencies('anonymous', 'authenticated')",
    replace: "...dependencies('anonymous')",
  },
  {
    promise: 'S2.12-8',
    what: 'there is no contributor',
    file: builtInRoles,
    find: "  { name: 'contributor', annotations: displayName('Contributor'), rules: [] },\n",
    replace: '',
  },
]

/** Promises of S2.8 to S2.12: what roles, rules and bindings are. */
export const roleFaults: readonly ConformanceFault[] = [...roles, ...rules, ...bindings, ...ofTheHost]
