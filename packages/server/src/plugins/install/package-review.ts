import {
  approvalsFor,
  describePlugin,
  describeUpgrade,
  packageContents,
  requiredApprovals,
  type PackageContents,
  type PlanSection,
  type RequiredApproval,
  type RoleDeclaration,
  type Rule,
} from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import type { Manifest } from '../package/manifest.ts'

/** What an operator must know and approve before a package is installed. */
export interface PackageReview {
  readonly sections: readonly PlanSection[]
  /** The items to approve by name. */
  readonly approvals: readonly RequiredApproval[]
  /** Names of earlier approvals that the package no longer needs. */
  readonly expired: readonly string[]
}

export interface ReviewedPackage {
  readonly manifest: Manifest
  readonly objects: readonly DeclaredObject[]
}

/** Based on the roles that the package declares, not on those that its definition mentions. */
export function reviewPackage(after: ReviewedPackage, before: ReviewedPackage | undefined): PackageReview {
  const contents = contentsOf(after)
  const earlier = before && contentsOf(before)
  return {
    sections: earlier ? describeUpgrade(earlier, contents) : describePlugin(contents),
    approvals: requiredApprovals(contents, earlier),
    expired: earlier ? approvalsFor(earlier, contents) : [],
  }
}

function contentsOf({ manifest, objects }: ReviewedPackage): PackageContents {
  const { definition, ...rest } = manifest
  const { groups, permissions, protocol } = definition
  const whole = { ...rest, groups, permissions, protocol, definition: { ...definition, roles: [] } }
  return packageContents(whole, rolesIn(objects))
}

/** The roles that a package declares, without values that are not text. */
export function rolesIn(objects: readonly DeclaredObject[]): readonly RoleDeclaration[] {
  return objects.flatMap(({ apiVersion, kind, name, body }) => {
    if (apiVersion !== 'v1alpha1' || kind !== 'Role') return []
    const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {}
    const words = { name, labels: textsIn(metadata['labels']), annotations: textsIn(metadata['annotations']) }
    const rules = Array.isArray(body['rules']) ? (body['rules'] as readonly Rule[]) : []
    return [{ apiVersion, kind, metadata: words, rules }]
  })
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
