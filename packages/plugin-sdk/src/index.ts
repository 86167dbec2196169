export { ApiError, isApiError } from '@pergola/api'
export type { ApiObject, DisplayHue, DisplayIcon, FieldDisplay, Metadata, ModelDisplay, Rule, Verb } from '@pergola/api'
export type {
  Batch,
  BatchOperation,
  BatchOptions,
  CallInput,
  Collection,
  CollectionWatchOptions,
  Condition,
  LabelCondition,
  Listing,
  ListOptions,
  Live,
  LiveOptions,
  ModelClient,
  ModelTypes,
  Page,
  Range,
  RouteTypes,
  Served,
  SortKey,
  Where,
} from '@pergola/client'
export { controller } from './controller.ts'
export type { Controller, ControllerContext, ControllerOptions, Finalizer } from './controller.ts'
export type { Duration } from './duration.ts'
export type { CallContext, Caller, Clock, HeldLease, Lease, LeaseOptions, PluginContext } from './handler-context.ts'
export { defineModel } from './model/model.ts'
export type { AnyModel, CheckContext, Model, ModelOptions, ObjectTypes, StoredObject } from './model/model.ts'
export { definePlugin } from './plugin.ts'
export type { AnyPlugin, Plugin, PluginOptions, WebApp, WebRouter } from './plugin.ts'
export {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  giveUp,
  GiveUp,
  inUse,
  invalid,
  notFound,
  passOn,
  preconditionFailed,
  tooManyRequests,
  unauthenticated,
  unavailable,
} from './problem-functions.ts'
export type { FieldFault } from './problem-functions.ts'
export { can, roleTemplate } from './role-template.ts'
export type { ConsolePage, PageTitles } from './console-page.ts'
export type { Grant, GrantOptions, RoleTemplate, RoleTemplateOptions } from './role-template.ts'
export { owned } from './route/owned.ts'
export type { AnyOwned, Owned, OwnedGrant, OwnedOptions, OwnedTypes, OwnerField } from './route/owned.ts'
export type { PluginSocket, Upgrade, UpgradeOptions } from './route/plugin-socket.ts'
export { created } from './route/created.ts'
export type { Created } from './route/created.ts'
export { route } from './route/route.ts'
export type { AnyRoute, DeclaredTypes, Method, Route, RouteContext, RouteLine, RouteOptions } from './route/route.ts'
export { schedule } from './schedule.ts'
export type { Schedule, Timing } from './schedule.ts'
export type { Infer, InferInput, Schema } from './schema/infer.ts'
export { secret, t, withDefault } from './schema/t.ts'
export { defineSettings } from './settings.ts'
export type { AnySettings, Settings } from './settings.ts'
export { DefinitionError } from './inspect/faults.ts'
export type { DefinitionFault } from './inspect/faults.ts'
export { inspect } from './inspect/inspect.ts'
export type { InspectOptions } from './inspect/inspect.ts'
export { pageValues } from './inspect/page-values.ts'
export type { PageValues } from './inspect/page-values.ts'
export type { ParametersOf } from './route/path-parameters.ts'
