import { ApiError } from '@pergola/api'
import { replacePassword } from './access/replace-password.ts'
import { needsSetup } from './access/first-administrator.ts'
import { makeSetupSecret, setupSecretMs } from './credentials/setup-secrets.ts'
import { createAccessModels, type AccessModels } from './access/access-models.ts'
import { recordCommand, type CommandEntry } from './audit/record-command.ts'
import { systemClock } from './base/clock.ts'
import type { Config } from './config/config.ts'
import type { Log } from './base/log.ts'
import type { SealingKey } from './config/sealing-keys.ts'
import { consoleFolder, setupPagePath } from './console/read-console.ts'
import { passwordFault } from './credentials/password-rules.ts'
import { createPasswords, type Passwords } from './credentials/passwords.ts'
import { openRevocations } from './credentials/revocations.ts'
import { newSecret } from './credentials/secret.ts'
import { createObject } from './models/verbs/create.ts'
import { declarationOf } from './models/model.ts'
import { fromData } from './models/object-bytes.ts'
import { mostTokens } from './host-api/personal-access-tokens.ts'
import { livingBindingsWhere, superAdministrator } from './access/administrators.ts'
import { builtInRoles } from './access/built-in-roles.ts'
import { noRights } from './access/rights.ts'
import { roleOfBinding } from './access/role-binding-model.ts'
import { rotateSecrets, type RotatedSecrets } from './models/secrets/rotate-secrets.ts'
import { assertReplicasHave } from './models/secrets/secret-keys.ts'
import { createSecretModel } from './models/secrets/secret-model.ts'
import { createSecretSealing } from './models/secrets/secret-sealing.ts'
import { seedRoles } from './access/seed-roles.ts'
import { ownerOfToken } from './access/token-model.ts'
import { canSignIn } from './access/user-spec.ts'
import { readPasswordHash } from './store/records/passwords.ts'
import { countSessions } from './store/records/sessions.ts'
import { openStore } from './store/open-store.ts'
import type { Store, StoredObject } from './store/store.ts'

/** Operations of an operator directly on the database, for when nobody can sign in. */
export interface Administration extends AsyncDisposable {
  /** Throws `AlreadyExists` when there is a super administrator. */
  renewSetup(): Promise<SetupLink>
  administrators(): Promise<readonly AdministratorEntry[]>
  /** Ends the user's sessions on every replica, and deletes its tokens unless they are kept. */
  resetPassword(user: string, password: string, options?: { readonly keepTokens?: boolean }): Promise<ResetPassword>
  createToken(user: string, token: { readonly name?: string; readonly expiresAt?: Date }): Promise<MadeToken>
  /** Seals every secret with the first key, which every running server must have; reports progress now and then. */
  rotateSecrets(onProgress: (progress: RotatedSecrets) => void): Promise<RotatedSecrets>
}

interface ResetPassword {
  readonly canSignIn: boolean
  /** How many tokens were deleted. */
  readonly tokens: number
}

interface SetupLink {
  /** Where to send the secret, with the wanted name and password. */
  readonly url: string
  /** Where to enter the secret in a browser. */
  readonly page: string
  readonly secret: string
  readonly expiresAt: Date
}

export interface AdministratorEntry {
  readonly name: string
  readonly canSignIn: boolean
  readonly hasPassword: boolean
  readonly bindings: readonly string[]
  readonly sessions: number
}

interface MadeToken {
  readonly name: string
  readonly secret: string
}

export interface AdministrationOptions {
  readonly config: Config
  /** Keys that seal secrets. */
  readonly keys?: readonly SealingKey[]
  readonly log: Log
  /** The operating system user who runs the command. */
  readonly operator: string
  /** Receives audit log entries when there is no file. */
  readonly stderr: (text: string) => void
}

interface Parts {
  readonly store: Store
  readonly clock: typeof systemClock
  readonly own: AccessModels
  readonly passwords: Passwords
  readonly record: (done: Omit<CommandEntry, 'user'>) => Promise<void>
}

export async function openAdministration(options: AdministrationOptions): Promise<Administration> {
  const { config, keys = [], log, operator, stderr } = options
  await using opened = new AsyncDisposableStack()
  const onConnectionLost = (err: Error) => log.warn({ err }, 'a database connection was lost')
  const store = opened.use(await openStore({ ...config.database, onConnectionLost }))
  const clock = systemClock
  // There is no caller, so no rights are checked.
  const own = createAccessModels({ store, clock, rights: noRights })
  for (const model of Object.values(own)) await store.openModel(declarationOf(model))
  await openRevocations(store)
  await seedRoles({ store, clock }, own.roles, builtInRoles)
  const sealing = createSecretSealing(keys)
  const secrets = createSecretModel({ sealing, mayGet: async () => false })
  await store.openModel(declarationOf(secrets))
  const { file } = config.audit
  const record: Parts['record'] = (done) => recordCommand({ user: operator, ...done }, { file, stderr })
  const parts: Parts = { store, clock, own, passwords: createPasswords(store, clock), record }
  const kept = opened.move()
  return {
    renewSetup: () => renewSetup(parts, config),
    administrators: () => administrators(parts),
    resetPassword: (user, password, { keepTokens } = {}) => resetPassword(parts, user, { password, keepTokens }),
    createToken: (user, token) => createToken(parts, user, token),
    rotateSecrets: async (onProgress) => {
      const [first] = keys
      if (first) await assertReplicasHave(store, first)
      const rotated = await rotateSecrets({ store, secrets, sealing }, onProgress)
      await record({ event: 'secrets-rotate' })
      return rotated
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function renewSetup(parts: Parts, { server, tls }: Config): Promise<SetupLink> {
  const setup = { ...parts, ...parts.own }
  if (!(await needsSetup(setup))) {
    const [first] = await administrators(parts)
    const help = first ? `; to help ${first.name} back in: pergola admin reset-password ${first.name}` : ''
    throw new ApiError('AlreadyExists', `there is a super administrator already${help}`)
  }
  const secret = await makeSetupSecret(parts.store, parts.clock)
  await parts.record({ event: 'setup-renew' })
  const scheme = tls.certFile === undefined ? 'http' : 'https'
  const at = server.publicUrl ?? `${scheme}://${server.host}:${server.port}`
  const [url, page] = [`${at}/auth/setup`, at + setupPagePath(consoleFolder)]
  return { url, page, secret, expiresAt: new Date(parts.clock.now() + setupSecretMs) }
}

async function administrators({ store, own }: Parts): Promise<readonly AdministratorEntry[]> {
  const bindings = new Map<string, string[]>()
  for await (const { name, data } of livingBindingsWhere(store, roleOfBinding, superAdministrator)) {
    const subjects = fromData(data)['subjects'] as readonly { readonly name: string }[]
    for (const subject of subjects) bindings.set(subject.name, [...(bindings.get(subject.name) ?? []), name])
  }
  const entries: AdministratorEntry[] = []
  for (const [name, given] of [...bindings].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const user = await store.get(own.users, name)
    if (!user) continue
    const hasPassword = (await readPasswordHash(store, user.uid)) !== undefined
    const sessions = await countSessions(store, user.uid)
    entries.push({ name, canSignIn: canSignIn(user), hasPassword, bindings: given, sessions })
  }
  return entries
}

async function resetPassword(
  parts: Parts,
  name: string,
  { password, keepTokens }: { readonly password: string; readonly keepTokens: boolean | undefined },
): Promise<ResetPassword> {
  const fault = passwordFault(password, name)
  if (fault !== undefined) throw new ApiError('Invalid', `the password ${fault}`)
  const user = await existing(parts, name)
  const set = await parts.passwords.set(user.uid, password)
  const tokens = await replacePassword({ ...parts, tokens: parts.own.tokens }, { user, set, keepTokens })
  await parts.record({ event: 'password-set', account: name })
  return { canSignIn: canSignIn(user), tokens }
}

async function createToken(
  parts: Parts,
  owner: string,
  { name, expiresAt }: { readonly name?: string; readonly expiresAt?: Date },
): Promise<MadeToken> {
  const { store, own, record } = parts
  const user = await existing(parts, owner)
  if (!canSignIn(user))
    throw new ApiError(
      'Forbidden',
      `user "${owner}" is disabled, so its token would have no rights; enable the user first`,
    )
  const where = [{ field: ownerOfToken, is: { op: '=' as const, value: owner } }]
  const { items } = await store.list(own.tokens, { where, limit: mostTokens, total: 'none' })
  if (items.length >= mostTokens) {
    throw new ApiError('TooManyRequests', `user "${owner}" has ${mostTokens} tokens; delete one first`)
  }
  const secret = newSecret('pgl_')
  const metadata = name === undefined ? { generateName: 'token-' } : { name }
  const spec = { owner, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) }
  const caller = { kind: 'user' as const, name: owner, uid: user.uid, via: 'token' as const }
  const made = await createObject(parts, own.tokens, { body: { metadata, spec }, caller, secret })
  await record({ event: 'token-create', account: owner, name: made.name })
  return { name: made.name, secret }
}

async function existing({ store, own }: Parts, name: string): Promise<StoredObject> {
  const user = await store.get(own.users, name)
  if (user) return user
  throw new ApiError('NotFound', `there is no user "${name}"; pergola admin list names the administrators`)
}
