import { contentRoles, type AccessReason, type AccessReasonValues, type RequestInfo, type Rule } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import { createPause } from '../../base/pause.ts'
import type { EffectiveRule } from './compile-rules.ts'
import { callerName, describeRequest } from './describe-request.ts'
import type { HeldRoles } from './role-book.ts'
import { origin, pathTo, type Step } from './role-graph.ts'
import { missesOf, type Miss, type Misses } from './rule-misses.ts'
import { ruleBreadth } from './rule-breadth.ts'
import { missWords, ruleWords } from './rule-words.ts'

const maxTemplates = 3

/** Where a rule comes from. */
interface RuleOrigin {
  /** The role that the caller holds. */
  readonly role: string
  /** The binding that gives the role, if known. */
  readonly binding?: string
  /** The steps from that role to the role that has the rule; empty when they are the same. */
  readonly path: readonly Step[]
  /** Position in the rules of its role. */
  readonly index: number
  readonly rule: Rule
}

interface Allowance {
  readonly allowed: true
  readonly by: RuleOrigin
  /** The parts of `text` after the request. */
  readonly reasons: readonly AccessReason[]
  readonly text: string
}

interface Denial {
  readonly allowed: false
  /** The closest rule and what it does not cover; absent when no rule relates to the request. */
  readonly nearest?: RuleOrigin & { readonly misses: readonly Miss[] }
  /** Role templates that would allow the request, at most three; those that grant least come first. */
  readonly templates: readonly string[]
  /** The parts of `text` after the request. */
  readonly reasons: readonly AccessReason[]
  readonly text: string
}

/** A reason with its English words. */
interface Worded {
  readonly reason: AccessReason
  readonly words: string
}

export type Explanation = Allowance | Denial

/** Explains to a person whether a request is allowed and why, so that they can change it. A denial reads every rule. */
export async function explain(held: HeldRoles, caller: Caller, request: RequestInfo): Promise<Explanation> {
  const found = held.find(request)
  if (!found) return explainDenial(held, caller, request)
  const by = originOf(found, held)
  const worded: readonly Worded[] = [
    heldWords(by),
    ...pathWords(by),
    { reason: { code: 'rule', values: ruleValues(by.rule) }, words: `its rule allows ${ruleWords(by.rule)}` },
  ]
  const words = worded.map((one) => one.words).join('; ')
  const text = `${callerName(caller)} may ${describeRequest(request)}: ${words}`
  return { allowed: true, by, reasons: worded.map(({ reason }) => reason), text }
}

async function explainDenial(held: HeldRoles, caller: Caller, request: RequestInfo): Promise<Denial> {
  const near = await nearestRule(held, request)
  const nearest = near && { ...originOf(near.effective, held), misses: near.misses }
  const templates = await narrowestTemplates(held, request)
  const worded: readonly Worded[] = [
    nearest ? nearestWords(nearest, request) : nothingNear(held),
    ...ignoredWords(held),
    ...emptyWords(held),
    templateWords(templates),
  ]
  const denied = `${callerName(caller)} may not ${describeRequest(request)}`
  const text = [denied, ...worded.map(({ words }) => words)].join('; ')
  const reasons = worded.map(({ reason }) => reason)
  return { allowed: false, ...(nearest && { nearest }), templates, reasons, text }
}

function nearestWords(nearest: NonNullable<Denial['nearest']>, request: RequestInfo): Worded {
  const { rule, misses } = nearest
  const role = ownerOf(nearest)
  return {
    reason: { code: 'nearest', values: { role, misses, ...ruleValues(rule) } },
    words: `nearest is ${role}, which allows ${missWords(rule, misses, request)}`,
  }
}

function ruleValues(rule: Rule): AccessReasonValues['rule'] {
  const { verbs } = rule
  if ('nonResourceURLs' in rule) return { verbs, paths: rule.nonResourceURLs }
  const { apiGroups: groups, resources, resourceNames: names = [] } = rule
  return { verbs, resources, groups, ...(names.length > 0 && { names }) }
}

async function narrowestTemplates({ book }: HeldRoles, request: RequestInfo): Promise<readonly string[]> {
  const pause = createPause()
  const found: { readonly name: string; readonly breadth: number }[] = []
  for (const name of await book.rolesAllowing(request)) {
    if (book.roles.get(name)?.isTemplate !== true) continue
    const breadth = book.effectiveRules([name]).reduce((sum, { rule }) => sum + ruleBreadth(rule), 0)
    found.push({ name, breadth })
    await pause()
  }
  const sorted = found.toSorted((one, other) => one.breadth - other.breadth)
  return sorted.slice(0, maxTemplates).map(({ name }) => name)
}

interface NearRule extends Misses {
  readonly effective: EffectiveRule
}

async function nearestRule({ book, roles }: HeldRoles, request: RequestInfo): Promise<NearRule | undefined> {
  const pause = createPause()
  let nearest: NearRule | undefined
  for (const reached of book.reach(roles.map(({ name }) => name))) {
    for (const own of book.rulesOf(reached.definition)) {
      const misses = missesOf(own.rule, request, book.pluginOf)
      if (misses && (!nearest || misses.distance < nearest.distance)) {
        nearest = { ...misses, effective: { ...own, reached } }
      }
    }
    await pause()
  }
  return nearest
}

function originOf({ rule, index, reached }: EffectiveRule, { roles }: HeldRoles): RuleOrigin {
  const role = origin(reached)
  const binding = roles.find(({ name, binding: known }) => name === role && known !== undefined)?.binding
  return { role, ...(binding !== undefined && { binding }), path: pathTo(reached), index, rule }
}

/** The role that has the rule. */
function ownerOf({ role, path }: RuleOrigin): string {
  return path.at(-1)?.role ?? role
}

function heldWords({ role, binding }: RuleOrigin): Worded {
  const words = binding === undefined ? `holds ${role}` : `bound to ${role} by rolebinding ${binding}`
  return { reason: { code: 'held', values: { role, ...(binding !== undefined && { binding }) } }, words }
}

/** For example `author depends on todo-manage, which aggregates todo-view`. */
function pathWords({ role, path }: RuleOrigin): readonly Worded[] {
  if (path.length === 0) return []
  const steps = path.map((step) => `${step.by === 'dependency' ? 'depends on' : 'aggregates'} ${step.role}`)
  const values = { role, by: path.map(({ by }) => by), roles: path.map((step) => step.role) }
  return [{ reason: { code: 'path', values }, words: `${role} ${steps.join(', which ')}` }]
}

function nothingNear({ roles }: HeldRoles): Worded {
  if (roles.length === 0) return { reason: { code: 'no-role', values: {} }, words: 'holds no role' }
  const names = roles.map(({ name }) => name)
  const words = `no rule of ${names.join(', ')} comes near`
  return { reason: { code: 'no-rule-near', values: { roles: names } }, words }
}

/** Mentions rules stored by a newer host: the caller may rely on one of them. */
function ignoredWords({ book, roles }: HeldRoles): readonly Worded[] {
  return book
    .reach(roles.map(({ name }) => name))
    .filter(({ definition }) => book.rulesOf(definition).length < definition.rules.length)
    .map(({ definition: { name } }) => ({
      reason: { code: 'unknown-rule', values: { role: name } },
      words: `${name} has a rule that this host does not understand, which allows nothing`,
    }))
}

/** Mentions held roles that grant nothing until a plugin adds their rules. */
function emptyWords({ book, roles }: HeldRoles): readonly Worded[] {
  return roles
    .filter(({ name }) => contentRoles.includes(name))
    .filter(({ name }) => book.reach([name]).every(({ definition }) => book.rulesOf(definition).length === 0))
    .map(({ name }) => ({
      reason: { code: 'role-of-plugin', values: { role: name, plugin: 'content' } },
      words: `the rights of ${name} come with the plugin content, which is not enabled`,
    }))
}

function templateWords(templates: readonly string[]): Worded {
  const reason = { code: 'templates', values: { templates } } as const
  const [only = '', ...more] = templates
  if (more.length > 0) return { reason, words: `role templates ${templates.join(', ')} would allow it` }
  return { reason, words: only === '' ? 'no role template would allow it' : `role template ${only} would allow it` }
}
