import type { PlanItem, PlanItemCode, PlanItemOf, PlanSection, PlanSectionCode } from './plan.ts'
import { groupWords } from './right-words.ts'
import { renderSections, sectionOf } from './sections.ts'

/** Renders sections in English, for terminals; above them what the author says about the plugin. */
export function renderPlan(sections: readonly PlanSection[], about: readonly string[] = []): string {
  const told = sections.flatMap((section) => sectionOf(headings[section.code], planLines(section)))
  return renderSections([...sectionOf(headings.about, about), ...told])
}

/** The sentence of an item in its section, without its change and its approval. */
export function planSentence(section: PlanSectionCode, item: PlanItem): string {
  const words = wordsOf(item)
  const holder = 'role' in item.values && section === 'roles' && isOfRole(item) ? `${roleWords(item.values)}: ` : ''
  return `${holder}${words}`
}

/** The lines of a section, with changes and approvals. */
export function planLines({ code, items }: PlanSection): readonly string[] {
  if (items.length === 0) return [nothing[code] ?? 'nothing']
  return items.map((item) => {
    const sentence = planSentence(code, item)
    const change = item.change === undefined ? '' : `${item.change} `
    return `${change}${sentence}${approvalWords(sentence, item.approval)}`
  })
}

export function planHeading(section: PlanSectionCode): string {
  return headings[section]
}

const headings: Readonly<Record<PlanSectionCode, string>> = {
  blocked: 'stops it',
  about: 'about',
  groups: 'API groups',
  models: 'models',
  indexes: 'indexes',
  routes: 'routes',
  roles: 'by role',
  public: 'open to everybody',
  'signed-in': 'open to signed-in users',
  unreached: 'super administrator only',
  requests: 'asks for',
  background: 'runs',
  settings: 'settings',
  needs: 'needs',
  changes: 'changes',
  takeover: 'takes over',
  nonconforming: 'does not conform',
  duplicates: 'duplicates',
  dependents: 'would stop',
  isolation: 'isolation',
  kept: 'kept',
  deleted: 'deleted for good',
  'deleted-roles': 'roles deleted',
  'deleted-objects': 'objects deleted',
  'deleted-bindings': 'held by',
  afterwards: 'afterwards',
}

/** What a section without items says. */
const nothing: Readonly<Partial<Record<PlanSectionCode, string>>> = {
  requests: 'nothing beyond its own models',
  changes: 'nothing but its code',
}

/** A sentence that is the name to approve is not repeated. */
function approvalWords(sentence: string, approval: string | undefined): string {
  if (approval === undefined) return ''
  return approval === sentence ? '  [needs approval]' : `  [needs approval: ${approval}]`
}

function isOfRole({ code }: PlanItem): boolean {
  return code === 'resource' || code === 'url' || code === 'owned' || code === 'route' || code === 'includes-role'
}

function roleWords({ role = '', displayName }: { readonly role?: string; readonly displayName?: string }): string {
  return displayName === undefined ? role : `${role} (${displayName})`
}

type Sentences = { readonly [Code in PlanItemCode]: (item: PlanItemOf<Code>) => string }

function wordsOf<Code extends PlanItemCode>(item: PlanItemOf<Code>): string {
  return sentences[item.code](item)
}

const sentences: Sentences = {
  resource: ({ values: { verbs, resource, group = '', names = [] } }) =>
    [
      verbWords(verbs),
      resource === '*' ? 'everything' : resource,
      ...(names.length > 0 ? [names.join(',')] : []),
      ...(group === '' ? [] : [`in ${groupWords(group)}`]),
    ].join(' '),
  url: ({ values: { verbs, url } }) => `${verbWords(verbs)} ${url}`,
  owned: ({ values: { verbs, all, resource, names } }) => {
    const own = `their own ${resource}${aloneWords(names)}`
    return all === 'yes' ? own : `${verbs.join(',')} of ${own}`
  },
  route: ({ values: { method, path, names } }) => `${method} ${path}${aloneWords(names)}`,
  app: ({ values: { group } }) => `whatever else ${group} serves`,
  'includes-role': ({ values: { other } }) => `what ${other} may`,
  'joins-role': ({ values: { role, target } }) => joinsWords(role, target),
  role: ({ values }) => roleWords(values),
  'role-without-rights': ({ values }) => `${roleWords(values)}: nothing`,
  'console-code': () => 'Runs its own code in the console: its pages act with the rights of whoever opens them.',
  reference: ({ values: { resource, group, model, path } }) =>
    `Can keep ${resource}${group === '' ? '' : ` of ${group}`} from being deleted: ${path} of ${model} refers to them.`,
  model: ({ values, change }) =>
    change === '-' ? `${values.resource}: its objects are kept, and no longer served` : modelWords(values),
  'model-name': ({ values: { resource, field, before, after } }) => `${resource}: ${field} ${before} -> ${after}`,
  'model-status': ({ values: { resource, separate } }) =>
    `${resource}: status is written ${separate === 'yes' ? 'by /status alone' : 'with everything else'}`,
  'model-display': ({ values: { resource } }) => `${resource}: displayed in another way`,
  'model-check': ({ values: { resource, check } }) =>
    `${resource}: ${check === 'yes' ? 'checked by the plugin before every write' : 'no longer checked by the plugin'}`,
  'fields-cut': ({ values: { resource, limit } }) =>
    `${resource}: has more than ${limit} fields, of which the first are compared`,
  field: ({ values: { resource, path, type = 'any', required }, change }) =>
    `${resource}: ${path}${change === '-' ? '' : ` (${type}, ${required === 'yes' ? 'required' : 'optional'})`}`,
  'field-required': ({ values: { resource, path, required } }) =>
    `${resource}: ${path} is ${required === 'yes' ? 'required' : 'optional'} now`,
  'field-keyword': ({ values: { resource, path, keyword, before = 'none', after = 'none' } }) =>
    `${resource}: ${path} ${keyword} ${before} -> ${after}`,
  'field-rewritten': ({ values: { resource, path, keyword } }) => `${resource}: ${path} has another ${keyword}`,
  'field-values': ({ values: { resource, path, added, removed } }) =>
    `${resource}: ${path} values ${[...added.map((one) => `+ ${one}`), ...removed.map((one) => `- ${one}`)].join(' ')}`,
  index: ({ values: { resource, name, unique, evaluated, order } }) =>
    `${resource} ${indexWords(name, { isUnique: unique === 'yes', isEvaluated: evaluated === 'yes', isDescending: order === 'descending' })}`,
  composite: ({ values: { resource, parts } }) => `${resource} ${parts.join(' + ')}`,
  'index-order': ({ values: { resource, name, order } }) =>
    `${resource} ${name} sorts ${order}, when no direction is given`,
  'index-rebuilt': ({ values: { resource, name, before, after } }) =>
    `${resource} ${name} is rebuilt: ${traitWords(before)} -> ${traitWords(after)}`,
  controller: ({ values: { name, resource } }) => `${name}, whenever ${resource} change`,
  schedule: ({ values: { name, every, cron } }) =>
    `${name}, ${every === undefined ? `at ${cron} (UTC)` : `every ${every}`}`,
  setting: ({ values: { name, required, secret } }) => {
    const traits = [...(required === 'yes' ? ['required'] : []), ...(secret === 'yes' ? ['secret'] : [])]
    return traits.length > 0 ? `${name} (${traits.join(', ')})` : name
  },
  limit: ({ values }) => `${limitWords(values)} on each server`,
  'host-version': ({ values: { range } }) => `a host of ${range}`,
  'plugin-version': ({ values: { plugin, range } }) => `the plugin ${plugin} of ${range}`,
  about: ({ values: { field, text } }) => (field === 'author' ? `by ${text}` : text),
  group: ({ values: { group } }) => group,
  refused: ({ values: { message } }) => message,
  'held-role': ({ values: { role, bindings } }) =>
    `role ${role} is removed, and rolebinding ${bindings.join(', ')} grants it; revoke it first`,
  'takeover-model': ({ values: { resource, group, count, replaced } }) => {
    const fate = replaced === 'yes' ? 'its schema and indexes are replaced' : 'it is not in the package'
    return `${resource} of ${group}, declared without it, with ${count} objects; ${fate}`
  },
  'takeover-settings': ({ values: { kind, name } }) => `the ${kind} ${name}, which becomes its settings`,
  nonconforming: ({ values }) => `${values.found} of ${checkedWords(values)}, which stay as they are`,
  'duplicate-values': ({ values }) =>
    `${values.found} of ${checkedWords(values)} have a ${values.path} that another one has; the upgrade fails until each has its own`,
  dependent: ({ values: { plugin, version, needed, range } }) =>
    `${plugin} ${version}, which needs ${needed} of ${range}`,
  'shared-account': () =>
    'it runs as the account of the host: crashes are contained, but its code can read what the host can, and a process that clears its environment and leaves its parent can escape the limits',
  objects: ({ values: { count, resource } }) => `${count} ${resource}`,
  'settings-object': ({ values: { kind, name } }) => `its settings, ${kind} ${name}`,
  object: ({ values: { kind, name } }) => `${kind} "${name}"`,
  binding: ({ values: { name } }) => `rolebinding ${name}, which is deleted too`,
  'data-kept': () =>
    'the data is available again when the plugin is installed again; no other plugin can claim its groups',
  'groups-released': () => 'its groups are free',
}

function verbWords(verbs: readonly string[]): string {
  return verbs.includes('*') ? 'every verb on' : verbs.join(',')
}

function traitWords(traits: readonly string[]): string {
  return traits
    .map((trait) => {
      if (trait === 'single' || trait === 'multi') return `${trait} by the plugin`
      return trait === 'list' ? 'list of' : trait.replace(':', ' ')
    })
    .join(', ')
    .replace('list of, ', 'list of ')
}

function aloneWords(names: readonly string[] = []): string {
  return names.length > 0 ? ` (${names.join(', ')} alone)` : ''
}

function joinsWords(role: string, target: string): string {
  if (target === 'authenticated') return `Everybody who signs in gets the role ${role}.`
  if (target === 'anonymous') return `Everybody gets the role ${role}, even without signing in.`
  return `Everybody with the role ${target} gets the role ${role}.`
}

function modelWords({
  resource,
  group,
  kind,
  versions,
  indexes,
  unique,
  evaluated,
  descending,
  check,
}: PlanItemOf<'model'>['values']): string {
  const named = indexes.map((name) =>
    indexWords(name, {
      isUnique: unique.includes(name),
      isEvaluated: evaluated.includes(name),
      isDescending: descending.includes(name),
    }),
  )
  const counted = `${named.length} ${named.length === 1 ? 'index' : 'indexes'}`
  return [
    `${resource} (${kind}, ${group}/${versions.join(', ')})`,
    named.length > 0 ? `${counted}: ${named.join(', ')}` : 'no indexes of its own',
    ...(check === 'yes' ? ['checked by the plugin before every write'] : []),
  ].join('; ')
}

interface IndexTraits {
  readonly isUnique: boolean
  readonly isEvaluated: boolean
  readonly isDescending: boolean
}

function indexWords(name: string, { isUnique, isEvaluated, isDescending }: IndexTraits): string {
  return [
    name,
    ...(isUnique ? ['unique'] : []),
    ...(isEvaluated ? ['by the plugin'] : []),
    ...(isDescending ? ['descending'] : []),
  ].join(' ')
}

function checkedWords({
  checked,
  complete,
  resource,
}: {
  readonly checked: number
  readonly complete: 'yes' | 'no'
  readonly resource: string
}): string {
  return `${complete === 'yes' ? checked : `the first ${checked}`} ${resource}`
}

/** Also the name of the approval. */
export function limitWords({ limit, value }: PlanItemOf<'limit'>['values']): string {
  if (limit === 'processes') return `${value} processes`
  return limit === 'memory' ? `${value} MiB of memory` : `${value} MiB of temporary files`
}
