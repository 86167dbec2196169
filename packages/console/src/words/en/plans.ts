import type { PlanItemCode, PlanItemOf, PlanItemValues, PlanSectionCode } from '@pergola/api'

/** A plan item for people: the sentence, its consequence, and the exact text of the API. */
export interface PlanSentence {
  readonly text: string
  readonly detail?: string | undefined
  readonly code?: string | undefined
}

/** A language needs a sentence for each code; a missing one is a compile error. */
export interface PlanWords {
  readonly sections: Readonly<Record<PlanSectionCode, string>>
  /** Texts for empty sections. */
  readonly nothing: Readonly<Partial<Record<PlanSectionCode, string>>>
  readonly items: {
    readonly [Code in PlanItemCode]: (item: PlanItemOf<Code>, section: PlanSectionCode) => PlanSentence
  }
  /** The grantee, in front of the sentence. */
  readonly whose: (who: string, sentence: string) => string
  readonly everybody: string
  readonly superAdministrators: string
}

type Values<Code extends PlanItemCode> = PlanItemValues[Code]

const deedOf: Readonly<Record<string, readonly [string, string]>> = {
  get: ['see', 'sees'],
  list: ['see', 'sees'],
  watch: ['see', 'sees'],
  create: ['create', 'creates'],
  update: ['change', 'changes'],
  patch: ['change', 'changes'],
  delete: ['delete', 'deletes'],
  deletecollection: ['delete', 'deletes'],
}
const allDeeds = ['get', 'create', 'update', 'delete']
const things: Readonly<Record<string, string>> = {
  rolebindings: 'who holds a role',
  configmaps: 'settings',
  personalaccesstokens: 'access tokens',
  '*': 'everything',
}

const listed = (parts: readonly string[], last = 'and') =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`
const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const lower = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)
const quoted = (names: readonly string[]) => listed(names.map((name) => `“${name}”`))
const alone = (names: readonly string[] = []) => (names.length > 0 ? `, only ${quoted(names)}` : '')
const counted = (count: number, one: string, more = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`

function deeds(verbs: readonly string[], form: 0 | 1): string {
  const known = (verbs.includes('*') ? allDeeds : verbs).map((verb) => deedOf[verb]?.[form] ?? `“${verb}”`)
  return listed([...new Set(known)])
}

function missingDeeds(verbs: readonly string[]): string | undefined {
  if (verbs.includes('*')) return undefined
  const held = new Set(verbs.map((verb) => deedOf[verb]?.[0]))
  const missing = allDeeds.map((verb) => deedOf[verb]?.[0] ?? verb).filter((deed) => !held.has(deed))
  return missing.length > 0 ? `It cannot ${listed(missing, 'or')} them.` : undefined
}

function thing(resource: string): string {
  const [of = '', part] = resource.split('/')
  const named = things[of] ?? of
  return part === undefined ? named : `${part === '*' ? 'every part' : part} of ${named}`
}

/** Without a group: the plugin's own. */
function origin(group: string | undefined): string {
  if (group === undefined) return ''
  if (group === '*') return ', of the host and of every plugin'
  return group === '' || /(^|\.)platform\.run$/.test(group)
    ? ', which belong to the host'
    : `, which belong to ${group}`
}

function resourceWords({ verbs, resource, group, names = [], kind }: Values<'resource'>, section: PlanSectionCode) {
  const isOwn = kind !== undefined || group === undefined
  const code = `${verbs.join(', ')} ${resource}${names.length > 0 ? ` ${names.join(', ')}` : ''}${group ? ` · ${group}` : ''}`
  const which = names.length > 0 ? `${thing(resource)} ${quoted(names)}` : thing(resource)
  if (section === 'requests') {
    return { text: `${upper(deeds(verbs, 1))} ${which}${origin(group)}.`, detail: missingDeeds(verbs), code }
  }
  const whole = isOwn && names.length === 0 && resource !== '*' ? `everybody’s ${which}` : `${which}${origin(group)}`
  if (section === 'public') {
    return { text: `Anybody can ${deeds(verbs, 0)} ${which}${isOwn ? '' : origin(group)}, without signing in.`, code }
  }
  return { text: `${upper(deeds(verbs, 0))} ${whole}.`, code: isOwn ? undefined : code }
}

function routeWords({ method, path, description, names }: Values<'route'>, section: PlanSectionCode): PlanSentence {
  const code = `${method} ${path}`
  const detail = `${description ?? ''}${names ? ` Only for ${quoted(names)}.` : ''}`.trim() || undefined
  if (section === 'public') return { text: 'Answers anybody on the internet, without signing in.', detail, code }
  if (section === 'routes') return { text: `Address ${code}`, detail }
  return { text: description ?? 'Use this address of the plugin.', detail: description ? undefined : detail, code }
}

const roleName = ({ role = '', displayName }: { readonly role?: string; readonly displayName?: string }) =>
  `“${displayName ?? role}”`

function joinsWords({ target, ...role }: Values<'joins-role'>): PlanSentence {
  const code = `${role.role} → ${target}`
  if (target === 'authenticated') return { text: `Everybody who signs in gets the role ${roleName(role)}.`, code }
  const detail = 'What the role allows takes effect at once.'
  return target === 'anonymous'
    ? { text: `Anybody gets the role ${roleName(role)}, without signing in.`, detail, code }
    : { text: `Everybody with the role “${target}” gets the role ${roleName(role)}.`, detail, code }
}

function modelWords({ values, change }: PlanItemOf<'model'>): PlanSentence {
  const { resource, group, versions, indexes, unique, check } = values
  const code = `${group}/${versions.join(', ')}`
  if (change === '-') return { text: upper(resource), detail: 'Stored objects stay, but are no longer served.', code }
  const parts = [
    indexes.length === 0 ? 'No field can be filtered.' : `Can be filtered and sorted by ${listed(indexes.map(field))}.`,
    ...(unique.length > 0 ? [`Unique: ${listed(unique.map(field))}.`] : []),
    ...(check === 'yes' ? ['Checked by the plugin before every change.'] : []),
  ]
  return { text: upper(resource), detail: parts.join(' '), code }
}

/** `spec.dueDate` as `due date`. */
function field(path: string): string {
  const last = path.split('.').at(-1) ?? path
  return last.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'yes or no',
  array: 'list',
  object: 'group of fields',
}
const ofField = (resource: string, path: string) => `${upper(resource)}: field ${upper(field(path))}`
const traits = (all: readonly string[]) => listed(all.map((trait) => types[trait] ?? trait.replace(':', ' ')))
const checkedOf = ({ checked, complete, resource }: Values<'nonconforming'>) =>
  `${complete === 'yes' ? '' : 'the first '}${checked.toLocaleString('en')} ${resource}`
const kinds: Readonly<Record<string, string>> = {
  ConfigMap: 'settings',
  Secret: 'secrets',
  RoleBinding: 'role holders',
}
const aboutNames = { description: 'Description', author: 'Author', license: 'License', homepage: 'Website' }

const items: PlanWords['items'] = {
  resource: ({ values }, section) => resourceWords(values, section),
  url: ({ values: { verbs, url } }, section) => ({
    text: section === 'requests' ? 'Calls addresses of the host.' : 'Use addresses of the host.',
    code: `${verbs.join(', ')} ${url}`,
  }),
  owned: ({ values: { verbs, resource, names } }) => ({
    text: `${upper(deeds(verbs, 0))} their own ${resource}${alone(names)}.`,
  }),
  route: ({ values }, section) => routeWords(values, section),
  app: ({ values: { group } }) => ({ text: 'Use everything else that the web app of the plugin serves.', code: group }),
  'includes-role': ({ values: { other } }, section) => ({
    text:
      section === 'public'
        ? `Anybody can do what the role “${other}” allows, without signing in.`
        : `Do what the role “${other}” allows.`,
  }),
  'joins-role': ({ values }) => joinsWords(values),
  role: ({ values }) => ({ text: `Role ${roleName(values)}`, code: values.displayName && values.role }),
  'role-without-rights': ({ values }) => ({ text: `The role ${roleName(values)} allows nothing yet.` }),
  'console-code': () => ({
    text: 'Runs its own code in the console.',
    detail:
      'Its pages act with the rights of whoever opens them: whatever you may do, they can do in your name. Accept it only if you trust the author.',
  }),
  reference: ({ values: { resource, group, model, path } }) => ({
    text: `Can keep ${resource} from being deleted.`,
    detail: `Whoever may write ${model} can refer to them; an object that is referred to cannot be deleted.`,
    code: `${model} ${path} → ${group === '' ? resource : `${resource}.${group}`}`,
  }),
  model: (item) => modelWords(item),
  'model-name': ({ values: { resource, field: what, before, after } }) => ({
    text: `${upper(resource)}: ${{ version: 'API version', kind: 'API kind', singular: 'name of one' }[what]} ${before} → ${after}`,
  }),
  'model-status': ({ values: { resource, separate } }) => ({
    text: `${upper(resource)}: the status is changed ${separate === 'yes' ? 'separately' : 'together with the rest'}`,
  }),
  'model-check': ({ values: { resource, check } }) => ({
    text: `${upper(resource)}: ${check === 'yes' ? 'checked by the plugin before every change' : 'no longer checked by the plugin'}`,
  }),
  'model-display': ({ values: { resource } }) => ({ text: `${upper(resource)} look different in the console` }),
  'fields-cut': ({ values: { resource, limit } }) => ({
    text: `${upper(resource)}: only the first ${limit} fields were compared`,
  }),
  field: ({ values: { resource, path, type, required }, change }) => ({
    text: ofField(resource, path),
    detail:
      change === '-'
        ? undefined
        : `${upper(types[type ?? ''] ?? type ?? 'any value')}, ${required === 'yes' ? 'required' : 'optional'}.`,
    code: path,
  }),
  'field-required': ({ values: { resource, path, required } }) => ({
    text: `${ofField(resource, path)} is ${required === 'yes' ? 'required' : 'optional'} now`,
    code: path,
  }),
  'field-keyword': ({ values: { resource, path, keyword, before = 'none', after = 'none' } }) => ({
    text: `${ofField(resource, path)}: ${keyword} ${before} → ${after}`,
    code: path,
  }),
  'field-rewritten': ({ values: { resource, path, keyword } }) => ({
    text: `${ofField(resource, path)}: another ${keyword}`,
    code: path,
  }),
  'field-values': ({ values: { resource, path, added, removed } }) => ({
    text: `${ofField(resource, path)}: other values`,
    detail: [
      ...(added.length > 0 ? [`Added: ${added.join(', ')}.`] : []),
      ...(removed.length > 0 ? [`Removed: ${removed.join(', ')}.`] : []),
    ].join(' '),
    code: path,
  }),
  index: ({ values: { resource, name, unique }, change }) => ({
    text: `${upper(resource)} can ${change === '-' ? 'no longer ' : ''}be filtered and sorted by ${field(name)}`,
    detail: unique === 'yes' && change !== '-' ? 'No two may have the same value.' : undefined,
    code: name,
  }),
  composite: ({ values: { resource, parts }, change }) => ({
    text: `${upper(resource)} can ${change === '-' ? 'no longer ' : ''}be filtered quickly by ${listed(parts.map(field))} together`,
  }),
  'index-order': ({ values: { resource, name, order } }) => ({
    text: `${upper(resource)} sorted by ${field(name)} begin with the ${order === 'descending' ? 'highest' : 'lowest'}`,
    code: name,
  }),
  'index-rebuilt': ({ values: { resource, name, before, after } }) => ({
    text: `${upper(resource)}: filtering by ${field(name)} is rebuilt`,
    detail: `${upper(traits(before))} → ${traits(after)}.`,
    code: name,
  }),
  controller: ({ values: { name, resource } }) => ({ text: upper(name), detail: `Whenever ${resource} change.` }),
  schedule: ({ values: { name, every, cron } }) => ({
    text: upper(name),
    detail: every === undefined ? `On the schedule ${cron ?? ''} (UTC).` : `Every ${every}.`,
  }),
  setting: ({ values: { name, required, secret } }) => {
    const said = [...(required === 'yes' ? ['required'] : []), ...(secret === 'yes' ? ['a secret'] : [])]
    return { text: upper(field(name)), detail: said.length > 0 ? `${upper(listed(said))}.` : undefined }
  },
  limit: ({ values: { limit, value } }) => ({
    text: {
      memory: `Use ${value} MiB of memory`,
      scratch: `Keep ${value} MiB of temporary files`,
      processes: `Run ${value} processes`,
    }[limit],
    detail: 'On each server; more than every plugin may use.',
  }),
  'host-version': ({ values: { range } }) => ({ text: `Pergola ${range}` }),
  'plugin-version': ({ values: { plugin, range } }) => ({ text: `The plugin ${plugin} ${range}` }),
  about: ({ values: { field: what, text } }) => ({ text: aboutNames[what], detail: text }),
  group: ({ values: { group } }) => ({ text: 'API group', code: group }),
  refused: ({ values: { message } }) => ({
    text: 'You may not do this.',
    detail: 'It would give rights that you do not hold. Ask somebody who holds them.',
    code: message,
  }),
  'held-role': ({ values: { role, bindings } }) => ({
    text: `The new version has no role “${role}”, and somebody holds it.`,
    detail: `Take it away first: ${listed(bindings)}.`,
  }),
  'takeover-model': ({ values: { resource, group, count, replaced } }) => ({
    text: `Takes over ${counted(count, 'stored object')} of ${resource}.`,
    detail:
      replaced === 'yes'
        ? 'They become data of this plugin, which replaces their schema.'
        : 'They become data of this plugin, though the package has no such model.',
    code: group,
  }),
  'takeover-settings': ({ values: { kind, name } }) => ({
    text: `Takes over stored ${kinds[kind] ?? kind}.`,
    detail: 'The plugin reads them as its own settings.',
    code: name,
  }),
  nonconforming: ({ values }) => ({
    text: `${values.found.toLocaleString('en')} of ${checkedOf(values)} do not fit the new schema.`,
    detail: 'They stay as they are until somebody changes them.',
  }),
  'duplicate-values': ({ values }) => ({
    text: `${values.found.toLocaleString('en')} of ${checkedOf(values)} have the same ${field(values.path)} as another one.`,
    detail: 'The upgrade fails until each has its own.',
    code: values.path,
  }),
  dependent: ({ values: { plugin, version, needed, range } }) => ({
    text: `${plugin} ${version}`,
    detail: `It needs ${needed} ${range}.`,
  }),
  'shared-account': () => ({
    text: 'Its process runs as the account of the host.',
    detail:
      'A crash does not affect the host, but its code can read what the host can, and a detached process can escape the limits.',
  }),
  objects: ({ values: { count, resource, group } }) => ({
    text: `${count.toLocaleString('en')} ${resource}`,
    code: group,
  }),
  'settings-object': ({ values: { kind, name } }) => ({ text: `Its ${kinds[kind] ?? kind}`, code: name }),
  object: ({ values: { kind, name } }) => ({ text: `${kind} “${name}”` }),
  binding: ({ values: { name } }) => ({ text: `Everybody who holds it through “${name}” loses it` }),
  'data-kept': ({ values: { groups } }) => ({
    text: 'Its data is available again when the plugin is reinstalled.',
    detail: 'No other plugin can take its API groups.',
    code: groups.join(', '),
  }),
  'groups-released': ({ values: { groups } }) => ({
    text: 'Other plugins can take its API groups.',
    code: groups.join(', '),
  }),
}

export const plans: PlanWords = {
  sections: {
    blocked: 'This cannot be done',
    about: 'About',
    groups: 'API groups',
    models: 'Data models',
    indexes: 'Filters',
    routes: 'Addresses',
    roles: 'By role',
    public: 'For anybody, without signing in',
    'signed-in': 'For everybody who signs in',
    unreached: 'For super administrators only',
    requests: 'Rights of the plugin itself',
    background: 'Works in the background',
    settings: 'Settings',
    needs: 'Needs',
    changes: 'What changes',
    takeover: 'Takes over',
    nonconforming: 'Stored data that does not fit',
    duplicates: 'Values that are not unique',
    dependents: 'Plugins that stop',
    isolation: 'Isolation',
    kept: 'Stays',
    deleted: 'Is deleted for good',
    'deleted-roles': 'Roles that are deleted',
    'deleted-objects': 'Objects that are deleted',
    'deleted-bindings': 'Who loses a role',
    afterwards: 'Afterwards',
  },
  nothing: { changes: 'Nothing but its code.', requests: 'None beyond its own data.' },
  items,
  whose: (who, sentence) => `${who}: ${lower(sentence)}`,
  everybody: 'Everybody who signs in',
  superAdministrators: 'Super administrators only',
}
