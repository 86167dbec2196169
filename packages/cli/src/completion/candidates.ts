import { Option, type Argument, type Command } from 'commander'
import { fullName, shortestName } from '../server/resource-names.ts'
import type { KnownServer } from '../server/servers-file.ts'
import type { Place } from './place.ts'
import type { FieldWord, ServerWords } from './server-words.ts'

export interface Candidate {
  readonly word: string
  readonly description: string
  /** More follows without a space, as after `spec.` or `state=`. */
  readonly isOpen?: boolean
}

/** `files`: the shell completes names of files. */
export type Candidates = readonly Candidate[] | 'files'

export interface Sources {
  readonly server: () => Promise<ServerWords>
  readonly logins: () => Promise<readonly KnownServer[]>
}

/** Arguments that name an object of one resource, by command. */
const objectArguments: Readonly<Record<string, string>> = {
  'grant user': 'users',
  'revoke user': 'users',
  'grant role': 'roles',
  'revoke role': 'roles',
  'user disable name': 'users',
  'user enable name': 'users',
  'user reset-password name': 'users',
  'token delete name': 'personalaccesstokens',
}

/** What can stand at the cursor, before it is compared with what is already typed. */
export async function candidatesAt(place: Place, sources: Sources): Promise<Candidates> {
  const { wanted, command } = place
  if (wanted === undefined) return []
  if (wanted === 'command') return commandsOf(command)
  if (wanted === 'option') return optionsOf(command)
  if (wanted.argChoices) return wanted.argChoices.map((word) => ({ word, description: '', isOpen: word.endsWith('=') }))
  return wanted instanceof Option ? optionValues(place, wanted, sources) : argumentValues(place, wanted, sources)
}

function commandsOf({ commands }: Command): readonly Candidate[] {
  return commands.map((one) => ({ word: one.name(), description: one.description() }))
}

function optionsOf({ options }: Command): readonly Candidate[] {
  const shown = options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description }))
  return [...shown, { word: '--help', description: 'show help' }]
}

async function optionValues(place: Place, option: Option, sources: Sources): Promise<Candidates> {
  if (/<(file|folder)>/.test(option.flags)) return 'files'
  const server = sources.server
  switch (option.long) {
    case '--server':
      return (await sources.logins()).map(({ url, username }) => ({ word: url, description: username }))
    case '--context':
      return contextsOf(sources)
    case '--set':
      return selectorTerms(await fieldsOf(place, sources), place.current, () => true)
    case '--resource':
      return resourceNames(await server())
    case '--remove':
      return (await fieldsOf(place, sources)).map(({ path, description }) => ({ word: path, description }))
    case '--where':
    case '--any-of':
      return selectorTerms(await fieldsOf(place, sources), place.current)
    case '--sort':
      return (await fieldsOf(place, sources)).filter(({ isIndexed }) => isIndexed).flatMap(sortKeys)
    case '--expand':
      return referencesOf(place, await server())
    case '--group':
      return [...new Set((await (await server()).resources()).map(({ group }) => group))].map(plain)
    case '--role':
      return (await (await server()).names('roles', place.current)).map(plain)
    case '--user':
      return (await (await server()).names('users', place.current)).map(plain)
    case undefined:
    default:
      return []
  }
}

async function argumentValues(place: Place, argument: Argument, sources: Sources): Promise<Candidates> {
  const name = argument.name()
  const [resource] = place.given.get('resource') ?? []
  if (/^(file|folder)s?$/.test(name)) return 'files'
  if (name === 'verb') return (await import('@pergola/api')).verbs.map(plain)
  if (name === 'context') return contextsOf(sources)
  const server = await sources.server()
  if (name === 'resource' || name === 'resources') return resourceNames(server)
  if (name === 'field') return fieldPaths(server, place.current)
  if (/^names?$/.test(name) && resource !== undefined) return objectNames(server, resource, place)
  if (name === 'name' && place.path[0] === 'plugin') return objectNames(server, 'plugins', place)
  const of = objectArguments[[...place.path, name].join(' ')]
  return of === undefined ? [] : objectNames(server, of, place)
}

async function contextsOf({ logins }: Sources): Promise<readonly Candidate[]> {
  return (await logins()).map(({ context, url, username }) => ({ word: context, description: `${username} on ${url}` }))
}

async function objectNames(server: ServerWords, resource: string, { current, given }: Place): Promise<Candidates> {
  const used = given.get('names') ?? []
  return (await server.names(resource, current)).filter((name) => !used.includes(name)).map(plain)
}

async function resourceNames(server: ServerWords): Promise<readonly Candidate[]> {
  const known = await server.resources()
  return known.map((one) => ({ word: shortestName(known, one), description: one.group }))
}

async function fieldsOf({ given }: Place, { server }: Sources): Promise<readonly FieldWord[]> {
  const [resource] = given.get('resource') ?? []
  return resource === undefined ? [] : (await server()).fields(resource)
}

/** Terms such as `state=`; behind the operator the values of an enum. */
function selectorTerms(
  fields: readonly FieldWord[],
  current: string,
  isMeant: (field: FieldWord) => boolean = ({ isIndexed }) => isIndexed,
): readonly Candidate[] {
  const [, name = '', operator = ''] = /^([^=!<>]+)(=|!=)/.exec(current) ?? []
  const written = current.startsWith('spec.') ? (path: string) => path : shortened
  const field = fields.find(({ path }) => path === name || path === `spec.${name}`)
  if (field && operator !== '') return field.values.map((value) => plain(`${name}${operator}${value}`))
  return fields
    .filter(isMeant)
    .map(({ path, description }) => ({ word: `${written(path)}=`, description, isOpen: true }))
}

function shortened(path: string): string {
  return path.startsWith('spec.') ? path.slice('spec.'.length) : path
}

function sortKeys({ path, description }: FieldWord): readonly Candidate[] {
  const word = shortened(path)
  return [
    { word, description },
    { word: `-${word}`, description },
  ]
}

async function referencesOf({ given }: Place, server: ServerWords): Promise<readonly Candidate[]> {
  const [named] = given.get('resource') ?? []
  const known = await server.resources()
  const found = known.find((one) => [one.plural, one.singular, fullName(one)].includes(named ?? ''))
  const indexes = found?.indexes ?? []
  return indexes
    .filter(({ refersTo }) => refersTo)
    .map(({ name, refersTo }) => ({ word: name, description: refersTo?.plural ?? '' }))
}

/** `todos.spec.due`: the resource first, then its fields step by step. */
async function fieldPaths(server: ServerWords, current: string): Promise<readonly Candidate[]> {
  const known = await server.resources()
  const names = await resourceNames(server)
  const resource = names.find(({ word }) => current.startsWith(`${word}.`))
  if (!resource || known.length === 0) {
    return names.flatMap(({ word, description }) => [
      { word, description },
      { word: `${word}.`, description, isOpen: true },
    ])
  }
  const depth = current.split('.').length - resource.word.split('.').length
  const fields = await server.fields(resource.word)
  return fields
    .filter(({ path }) => path.split('.').length === depth)
    .map(({ path, description }) => ({ word: `${resource.word}.${path}`, description }))
}

function plain(word: string): Candidate {
  return { word, description: '' }
}
