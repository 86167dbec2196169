import type { Rule, Verb } from '@pergola/api'
import type { AnyModel } from './model/model.ts'

/** Some rights on a model; which resource that is in a rule, only the plugin knows. */
export interface Grant {
  readonly model: AnyModel
  readonly verbs: readonly (Verb | '*')[]
  readonly names: readonly string[]
  readonly subresource: string | undefined
}

export interface GrantOptions {
  /** Of these objects alone. */
  readonly names?: readonly string[]
  /** Of `<name>/<subresource>`, and not of the objects themselves: `status`. */
  readonly subresource?: string
}

/** Rights on the objects of a model, their sub-resources apart. */
export function can(verbs: Verb | '*' | readonly Verb[], model: AnyModel, options: GrantOptions = {}): Grant {
  const { names = [], subresource } = options
  return { model, verbs: typeof verbs === 'string' ? [verbs] : verbs, names, subresource }
}

export interface RoleTemplateOptions {
  readonly displayName: string
  /** Besides those of the routes that name the template. */
  readonly rules?: readonly (Grant | Rule)[]
  /** Templates of this plugin, or roles of others by name: who has this one has them too. */
  readonly dependencies?: readonly (RoleTemplate | string)[]
  /** Roles that get the rules of this one: `authenticated` for everybody who signs in, `anonymous` for everybody. */
  readonly aggregateTo?: readonly string[]
  /** Not offered to people who put roles together. */
  readonly hidden?: boolean
  /** What it stands under in the console; the plugin's display name unless it is said. */
  readonly module?: string
  /** `plugin:<plugin>:<template>` unless it is said. */
  readonly uiPermissions?: readonly string[]
  /** `<plugin>-<template>` unless it is said; it begins with `<plugin>-` in any case. */
  readonly roleName?: string
}

export interface RoleTemplate extends Omit<RoleTemplateOptions, 'rules' | 'dependencies' | 'aggregateTo' | 'hidden'> {
  /** Without the plugin's name. */
  readonly template: string
  readonly rules: readonly (Grant | Rule)[]
  readonly dependencies: readonly (RoleTemplate | string)[]
  readonly aggregateTo: readonly string[]
  readonly hidden: boolean
}

/** Rights that operators hand out together. Routes name the template that allows them. */
export function roleTemplate(template: string, options: RoleTemplateOptions): RoleTemplate {
  const { rules = [], dependencies = [], aggregateTo = [], hidden = false, ...rest } = options
  return { ...rest, template, rules, dependencies, aggregateTo, hidden }
}
