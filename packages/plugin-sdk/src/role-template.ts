import type { Rule, Verb } from '@pergola/api'
import type { AnyModel } from './model/model.ts'

/** Rights on a model. The plugin derives the resource name of the rule from it. */
export interface Grant {
  readonly model: AnyModel
  readonly verbs: readonly (Verb | '*')[]
  readonly names: readonly string[]
  readonly subresource: string | undefined
}

export interface GrantOptions {
  /** Limits the grant to objects with these names. */
  readonly names?: readonly string[]
  /** Grants `<name>/<subresource>` instead of the objects themselves: `status`. */
  readonly subresource?: string
}

/** Grants verbs on the objects of a model. Sub-resources such as `status` need a separate grant. */
export function can(verbs: Verb | '*' | readonly Verb[], model: AnyModel, options: GrantOptions = {}): Grant {
  const { names = [], subresource, ...misspelt } = options
  // Keeps misspelt options, so that `inspect` rejects them.
  return { ...misspelt, model, verbs: typeof verbs === 'string' ? [verbs] : verbs, names, subresource }
}

export interface RoleTemplateOptions {
  readonly displayName: string
  /** Rules in addition to those inferred from routes that name the template. */
  readonly rules?: readonly (Grant | Rule)[]
  /** Templates of this plugin, or names of other roles, that this template includes. */
  readonly dependencies?: readonly (RoleTemplate | string)[]
  /** Roles that receive the rules of this one: `authenticated` for signed-in users, `anonymous` for everybody. */
  readonly aggregateTo?: readonly string[]
  /** Hides the template where people compose roles. */
  readonly hidden?: boolean
  /** Heading in the console; defaults to the plugin's display name. */
  readonly module?: string
  /** UI permissions; defaults to `plugin:<plugin>:<template>`. */
  readonly uiPermissions?: readonly string[]
  /** Name of the stored role; defaults to `<plugin>-<template>` and must begin with `<plugin>-`. */
  readonly roleName?: string
}

export interface RoleTemplate extends Omit<RoleTemplateOptions, 'rules' | 'dependencies' | 'aggregateTo' | 'hidden'> {
  /** Name without the plugin's prefix. */
  readonly template: string
  readonly rules: readonly (Grant | Rule)[]
  readonly dependencies: readonly (RoleTemplate | string)[]
  readonly aggregateTo: readonly string[]
  readonly hidden: boolean
}

/** Declares a set of rights that operators grant together. Routes name the template that allows them. */
export function roleTemplate(template: string, options: RoleTemplateOptions): RoleTemplate {
  const { rules = [], dependencies = [], aggregateTo = [], hidden = false, ...rest } = options
  return { ...rest, template, rules, dependencies, aggregateTo, hidden }
}
