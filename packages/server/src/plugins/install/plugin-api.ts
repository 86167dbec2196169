import {
  ApiError,
  isApiError,
  sectionWithItems,
  type ApprovedRight,
  type Plan,
  type PlanItem,
  type PlanSection,
  type RequiredApproval,
  type PluginSpec,
  type PluginVersion,
} from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import type { Answer, Call } from '../../call/call.ts'
import { createdAnswer, objectAnswer } from '../../models/verbs/answers.ts'
import { createObject } from '../../models/verbs/create.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { flag, refuseUnknown } from '../../models/query/query-parameters.ts'
import { updateObject } from '../../models/verbs/update.ts'
import type { StoredObject } from '../../store/store.ts'
import { fieldError } from '../../call/field-error.ts'
import { assertMayClaim } from './assert-may-claim.ts'
import { approvedWith } from './approved.ts'
import { assertUsable, unusable } from './assert-usable.ts'
import { assertDeclaresOwn, declaredObjects } from '../run/declared-objects.ts'
import { describeConformance, type ConformanceParts } from './conformance-plan.ts'
import { describeDependents } from './dependents.ts'
import { assertMayHandOut, handedOutBy, type HandedOut, type HandingParts } from './handed-out.ts'
import { describeHeldRoles } from './held-roles.ts'
import { identityOf } from './identity.ts'
import { installedSpec } from './installed-spec.ts'
import { manifestOf } from '../package/manifest.ts'
import { reviewPackage, type PackageReview, type ReviewedPackage } from './package-review.ts'
import type { Packages } from '../package/packages.ts'
import { installerOf, specOf, versionOf } from '../plugin-model.ts'
import type { Accounts } from '../process/accounts.ts'
import type { PluginSettings } from '../plugin-settings.ts'
import type { DeclareParts } from '../run/register-models.ts'
import { describeRemoval } from '../removal/belongings.ts'
import type { PluginLog } from '../run/plugin-log.ts'
import { requestRun } from '../run/request-run.ts'
import { takeoverBy } from './takeover.ts'
import { PackageFault } from '../package/unpack-archive.ts'

export const mostPackageBytes = 100 * 1024 * 1024

export interface PluginApiParts extends DeclareParts, ConformanceParts, HandingParts {
  readonly plugins: Model
  readonly packages: Packages
  readonly settings: PluginSettings
  readonly isolation: Accounts['isolation']
  /** Digests of the packages shipped with the host. */
  readonly shipped: ReadonlySet<string>
  /** The latest log lines of its processes on this replica. */
  readonly linesOf: PluginLog['read']
}

/** Installs the sent package, or prepares it to replace the active version; `plan=true` only reports what that would do. */
export async function install(parts: PluginApiParts, call: Call): Promise<Answer> {
  const sent = await readSent(parts.packages, await call.request.readBody(mostPackageBytes))
  const installed = await installedSpec(parts, sent.manifest.name)
  assertMayClaim(parts.shipped, sent, installed)
  return take(parts, { sent, installed }, call)
}

/** Prepares the previous version to replace the active one; its permissions were approved when it was installed. */
export async function rollBack(parts: PluginApiParts, name: string, call: Call): Promise<Answer> {
  const installed = await installedSpec(parts, name)
  if (!installed) throw objectNotFound('plugin', name)
  const bytes = installed.previous && (await parts.packages.read(installed.previous.digest))
  if (!bytes)
    throw new ApiError('BadRequest', `there is no version of ${name} before ${installed.version} to go back to`)
  const sent = await readSent(parts.packages, bytes)
  return take(parts, { sent, installed, approvedBefore: installed.previous?.approved ?? [] }, call)
}

/** Asks every replica to replace the running process by a new one without downtime. */
export async function restart(parts: PluginApiParts, name: string, { request }: Call): Promise<Answer> {
  refuseUnknown(request.query, [])
  const bodyFor = (stored: StoredObject) => {
    const spec = specOf(fromData(stored.data))
    if (!spec.enabled) throw new ApiError('BadRequest', `${name} is disabled, and nothing of it runs; enable it`)
    if (spec.candidate) throw upgrading(name, spec.candidate.version)
    return { metadata: {}, spec: { ...spec, restarts: (spec.restarts ?? 0) + 1 } }
  }
  return objectAnswer(parts.plugins, await updateObject(parts, parts.plugins, { name, bodyFor }))
}

/** Requests a run of a schedule before its time. */
export async function runSchedule(parts: PluginApiParts, plugin: string, { request }: Call): Promise<Answer> {
  refuseUnknown(request.query, ['schedule'])
  const schedule = request.query.get('schedule')
  if (schedule === null) throw new ApiError('BadRequest', 'name the schedule: ?schedule=<name>')
  const { name, requested } = await requestRun(parts, plugin, schedule)
  return jsonAnswer(202, Buffer.from(JSON.stringify({ name, requested })))
}

/** Stops the plugin and removes what it added; its stored objects are kept or purged. */
export async function uninstall(
  parts: PluginApiParts,
  { name, data }: { readonly name: string; readonly data: 'keep' | 'purge' },
  { request }: Call,
): Promise<Answer> {
  refuseUnknown(request.query, ['plan'])
  const installed = await installedSpec(parts, name)
  if (!installed) throw objectNotFound('plugin', name)
  if (flag(request.query, 'plan')) {
    const sections = await describeRemoval(parts, { name, spec: installed }, data)
    const size = (await parts.packages.read(installed.digest))?.length
    const plugin = identityOf({ ...installed, name }, { digest: installed.digest, size })
    return planAnswer({ plugin, from: installed.version, sections, approvals: [] })
  }
  const bodyFor = (stored: StoredObject) => {
    const spec = specOf(fromData(stored.data))
    return { metadata: {}, spec: { ...spec, enabled: false, removal: data } }
  }
  return objectAnswer(parts.plugins, await updateObject(parts, parts.plugins, { name, bodyFor }))
}

export interface SentPackage extends ReviewedPackage {
  readonly bytes: Buffer
  readonly digest: string
}

interface Taken {
  readonly sent: SentPackage
  readonly installed: PluginSpec | undefined
  /** For a version that was approved when it was installed: its approvals. Nothing needs approval then. */
  readonly approvedBefore?: readonly ApprovedRight[]
}

async function take(parts: PluginApiParts, taken: Taken, { request, caller }: Call): Promise<Answer> {
  const { query } = request
  refuseUnknown(query, ['plan', 'approve'])
  const isPlan = flag(query, 'plan')
  const { sent, installed, approvedBefore } = taken
  await assertUsable(parts, sent.manifest)
  const { handedOut, ...review } = await reviewed(parts, sent, installed)
  const assertHeld = () => assertMayHandOut(parts, caller, handedOut)
  if (isPlan) return planAnswer(await planOf(parts, { ...taken, review, refusal: await refusalOf(assertHeld) }))
  await assertHeld()
  if (!approvedBefore) refuseUnapproved(unapprovedIn(review, query.getAll('approve')))
  const { user, ...through } = installerOf(caller)
  const by = { ...(user && { user: user.name }), ...through }
  const approved = approvedBefore ?? approvedWith(review, installed?.approved ?? [], { at: parts.clock.now(), by })
  return keep(parts, sent, { enabled: true, installedBy: installerOf(caller), approved })
}

interface Planned extends Taken {
  readonly review: PackageReview
  readonly refusal: readonly PlanItem[]
}

async function planOf(parts: PluginApiParts, planned: Planned): Promise<Plan> {
  const { sent, installed, approvedBefore, review, refusal } = planned
  const { manifest, digest, bytes } = sent
  const { name, version } = manifest
  // A caller without the right to install must not learn counts and conformance of stored objects.
  const isRefused = refusal.length > 0
  const shown = isRefused ? reviewPackage(sent, undefined) : review
  const sections = [
    ...sectionWithItems('blocked', refusal),
    ...shown.sections,
    ...(isRefused ? [] : await conformanceOf(parts, sent)),
    ...(isRefused ? [] : await describeDependents(parts, name, version)),
    ...sectionWithItems('isolation', parts.isolation === 'uid' ? [] : [{ code: 'shared-account', values: {} }]),
  ]
  return {
    plugin: identityOf(manifest, { digest, size: bytes.length }),
    ...(installed && !installed.removal && !isRefused && { from: installed.version }),
    to: version,
    sections: approvedBefore ? sections.map(withoutApprovals) : sections,
    approvals: approvedBefore ? [] : namesOf(shown.approvals),
  }
}

function planAnswer(plan: Plan): Answer {
  return jsonAnswer(200, Buffer.from(JSON.stringify(plan)))
}

/** Reuses the earlier approvals. */
function withoutApprovals({ code, items }: PlanSection): PlanSection {
  const unnamed = items.map(({ code: fact, values, risk, change }) => {
    return { code: fact, values, ...(risk && { risk }), ...(change && { change }) } as PlanItem
  })
  return { code, items: unnamed }
}

function namesOf(approvals: readonly RequiredApproval[]): readonly string[] {
  return approvals.map(({ item }) => item.approval)
}

/** Why the caller may not do it; for a plan. */
async function refusalOf(assertHeld: () => Promise<void>): Promise<readonly PlanItem[]> {
  try {
    await assertHeld()
    return []
  } catch (error) {
    if (!isApiError(error)) throw error
    return [{ code: 'refused', values: { reason: error.reason, message: error.message } }]
  }
}

export interface Placing {
  /** Approved items by name, or all of them. */
  readonly approved: readonly string[] | 'everything'
  /** Whether a newly installed plugin is enabled. */
  readonly enabled: boolean
}

/** Installs a package for the host itself, without a caller. Returns the unapproved items; if there are any, does nothing. */
export async function installForHost(
  parts: PluginApiParts,
  sent: SentPackage,
  { approved, enabled }: Placing,
): Promise<readonly string[]> {
  await assertUsable(parts, sent.manifest)
  const installed = await installedSpec(parts, sent.manifest.name)
  assertMayClaim(parts.shipped, sent, installed)
  const review = await reviewed(parts, sent, installed)
  const missing = approved === 'everything' ? [] : unapprovedIn(review, approved)
  const approvedNow = approvedWith(review, installed?.approved ?? [], { at: parts.clock.now() })
  if (missing.length === 0) await keep(parts, sent, { enabled, approved: approvedNow })
  return missing
}

/** Does a dry run first, so that a rejected package is not stored. */
async function keep(parts: PluginApiParts, sent: SentPackage, kept: Omit<Writing, 'dryRun'>): Promise<Answer> {
  await write(parts, sent, { ...kept, dryRun: true })
  await parts.packages.keep(sent.digest, sent.bytes)
  return write(parts, sent, { ...kept, dryRun: false })
}

/** Throws the request's error if the package cannot be used. */
export async function readSent(packages: Packages, bytes: Buffer): Promise<SentPackage> {
  try {
    const read = await packages.unpack(bytes)
    return { bytes, digest: read.digest, manifest: manifestOf(read), objects: declaredObjects(read) }
  } catch (error) {
    throw unusable(error)
  }
}

async function reviewed(
  parts: PluginApiParts,
  sent: SentPackage,
  installed: PluginSpec | undefined,
): Promise<PackageReview & { readonly handedOut: HandedOut }> {
  const before = installed && (await parts.packages.read(installed.digest))
  const earlier = before && (await readSent(parts.packages, before))
  try {
    await parts.settings.assertUsable(sent.manifest.definition.settings)
    await assertDeclaresOwn(parts, sent.manifest.name, sent.objects)
    const { sections, approvals, expired } = reviewPackage(sent, earlier)
    const takeover = await takeoverBy(parts, sent.manifest, installed)
    const heldRoles = earlier ? await describeHeldRoles(parts, earlier, sent) : []
    return {
      sections: [
        ...sections,
        ...heldRoles,
        ...sectionWithItems(
          'takeover',
          takeover.approvals.map(({ item }) => item),
        ),
      ],
      approvals: [...approvals, ...takeover.approvals],
      expired,
      handedOut: await handedOutBy(parts, sent, { installed, takeover }),
    }
  } catch (error) {
    // The definition is not validated yet; what cannot be described cannot be approved.
    throw unusable(error, 'plugin.json')
  }
}

async function conformanceOf(parts: PluginApiParts, { manifest }: SentPackage): Promise<readonly PlanSection[]> {
  try {
    return await describeConformance(parts, manifest.definition)
  } catch (error) {
    throw error instanceof PackageFault ? unusable(error) : error
  }
}

function unapprovedIn({ approvals }: PackageReview, approved: readonly string[]): readonly string[] {
  return namesOf(approvals).filter((name) => !approved.includes(name))
}

function refuseUnapproved(missing: readonly string[]): void {
  if (missing.length === 0) return
  throw new ApiError('Invalid', `the plugin needs approval: ${missing.join('; ')}; send approve=<name> for each`, {
    errors: missing.map((name) => fieldError('/approve', 'approval', { message: name, params: { approval: name } })),
  })
}

interface Writing extends Pick<PluginVersion, 'installedBy' | 'approved'> {
  readonly enabled: boolean
  readonly dryRun: boolean
}

async function write(parts: PluginApiParts, sentPackage: SentPackage, writing: Writing): Promise<Answer> {
  const { enabled, dryRun, installedBy, approved = [] } = writing
  const { manifest, digest } = sentPackage
  const { name, definition } = manifest
  const said = { ...(installedBy && { installedBy }), ...(approved.length > 0 && { approved }) }
  const sent = versionOf({ ...definition, ...manifest, digest, ...said })
  const stored = await parts.store.get(parts.plugins, name)
  if (!stored) {
    const body = { metadata: { name }, spec: { enabled, ...sent } }
    return createdAnswer(parts.plugins, await createObject(parts, parts.plugins, { body, dryRun }))
  }
  const bodyFor = ({ data }: StoredObject) => {
    const spec = specOf(fromData(data))
    return {
      metadata: {},
      spec: spec.removal ? returned(name, spec, { ...sent, enabled }) : nextSpec(name, spec, sent),
    }
  }
  return objectAnswer(parts.plugins, await updateObject(parts, parts.plugins, { name, bodyFor, dryRun }))
}

/** The plugin was uninstalled before; it gets back its stored data. */
function returned(name: string, { removal, groups }: PluginSpec, sent: PluginSpec): PluginSpec {
  if (removal === 'purge')
    throw new ApiError('InUse', `${name} is being purged; wait until that has ended`, { params: { name } })
  return { ...sent, groups: [...new Set([...groups, ...sent.groups])] }
}

/** A running plugin is upgraded step by step, a stopped one at once. */
function nextSpec(name: string, spec: PluginSpec, sent: PluginVersion): PluginSpec {
  const { candidate, enabled } = spec
  if (sent.digest === spec.digest || sent.digest === candidate?.digest) return spec
  if (candidate) throw upgrading(name, candidate.version)
  const adds = sent.groups.filter((group) => !spec.groups.includes(group))
  const groups = [...spec.groups, ...adds]
  if (enabled) return { ...spec, groups, candidate: { ...sent, adds } }
  return { ...sent, groups, enabled, previous: versionOf(spec), ...(spec.limits && { limits: spec.limits }) }
}

function upgrading(name: string, version: string): ApiError {
  return new ApiError(
    'InUse',
    `${name} is being upgraded to ${version}; wait until that has ended, or disable the plugin to abort it`,
    { params: { name, version } },
  )
}

/** The latest log lines on this replica, or those after a line that was returned before. */
export async function logs({ linesOf, ...parts }: PluginApiParts, name: string, { request }: Call): Promise<Answer> {
  const { query } = request
  refuseUnknown(query, ['after', 'replica'])
  const after = query.get('after') ?? '0'
  if (!/^\d{1,15}$/.test(after)) {
    throw new ApiError('BadRequest', `after must be a line number, as returned in "last"; it is "${after}"`)
  }
  if (!(await parts.store.get(parts.plugins, name))) throw objectNotFound('plugin', name)
  const lines = await linesOf(name, { after: Number(after), replica: query.get('replica') ?? undefined })
  return jsonAnswer(200, Buffer.from(JSON.stringify(lines)))
}
