export type { AccessReason, AccessReasonCode, AccessReasonValues } from './access-reasons.ts'
export { closeSchema } from './close-schema.ts'
export type { PersonalAccessToken, Role, RoleBinding, User } from './core/access.ts'
export { coreResources } from './core/core-resources.ts'
export type {
  ApprovedRight,
  Approver,
  Plugin,
  PluginInstaller,
  PluginReplica,
  PluginSchedule,
  PluginSpec,
  PluginState,
  PluginStatus,
  PluginUpgrade,
  PluginVersion,
} from './core/plugin.ts'
export {
  groupFault,
  kindFault,
  maxGroupLength,
  maxModelNameLength,
  pluginNameFault,
  reservedGroupFault,
  resourceNameFault,
  versionFault,
} from './definition-names.ts'
export {
  choiceFault,
  defaultTitlePaths,
  displayedMetadata,
  displayForms,
  displayHues,
  displayIcons,
  hueFault,
  iconFault,
  maxDisplayColumns,
  maxDisplayText,
  maxLabels,
  maxUnitLength,
} from './display.ts'
export type { DisplayHue, DisplayIcon, FieldDisplay, ModelDisplay } from './display.ts'
export type { HealthCode, HealthFinding, HealthValues } from './health-findings.ts'
export { resolveIndexPath } from './index-path.ts'
export type { IndexedPath, IndexValueType } from './index-path.ts'
export {
  finalizerFault,
  isHostFinalizer,
  keyFault,
  labelValueFault,
  maxKeyNameLength,
  maxKeyPrefixLength,
  maxLabelValueLength,
  maxObjectNameLength,
  namingFault,
  objectNameFault,
  reservedKeyFault,
} from './names.ts'
export type { NamingFault, NamingParams, NamingRule } from './names.ts'
export { editDistance, nearest } from './nearest.ts'
export { apiVersionOf, declarerKey } from './object.ts'
export type { ApiObject, Metadata } from './object.ts'
export { referencedSchema } from './object-schema.ts'
export type { JsonSchema, ObjectSchema } from './object-schema.ts'
export { audienceGroup, groupsWithAudiences, isAudienceGroup, ownedVerbs, pagePathFault } from './plugin-definition.ts'
export type {
  Audience,
  ControllerDeclaration,
  FunctionIndexDeclaration,
  ModelDeclaration,
  OwnedDeclaration,
  OwnedVerb,
  PageDeclaration,
  PathIndexDeclaration,
  PluginDefinition,
  RoleDeclaration,
  RouteDeclaration,
  ScheduleDeclaration,
} from './plugin-definition.ts'
export type { PluginAbout, PluginManifest } from './plugin-manifest.ts'
export { pluginOfSettings, secretSettings, settingsObjectName } from './plugin-settings.ts'
export { approvalsFor, requiredApprovals } from './plugin-summary/approvals.ts'
export type { RequiredApproval } from './plugin-summary/approvals.ts'
export { describePlugin } from './plugin-summary/describe-plugin.ts'
export { describeUpgrade } from './plugin-summary/describe-upgrade.ts'
export { packageContents } from './plugin-summary/package-contents.ts'
export type { PackageContents } from './plugin-summary/package-contents.ts'
export { planSection, sectionWithItems } from './plugin-summary/plan.ts'
export type {
  Plan,
  PlanIdentity,
  PlanItem,
  PlanItemCode,
  PlanItemOf,
  PlanItemValues,
  PlanRisk,
  PlanSection,
  PlanSectionCode,
} from './plugin-summary/plan.ts'
export { limitWords, planHeading, planLines, planSentence, renderPlan } from './plugin-summary/plan-words.ts'
export { renderSections, sectionOf } from './plugin-summary/sections.ts'
export type { Section } from './plugin-summary/sections.ts'
export { ApiError, isApiError, problems, toProblem } from './problem.ts'
export type {
  ApiErrorOptions,
  FieldError,
  KnownReferrers,
  Problem,
  ProblemParams,
  Reason,
  Referrers,
  StoredState,
} from './problem.ts'
export { maxReferences, onDeleteActions, schemaReferences, usersTarget } from './references.ts'
export type { ReferenceTarget, SchemaReference } from './references.ts'
export type { FieldRule, FieldRuleParams } from './field-rules.ts'
export { asksForStream, isNamedCreate, localTarget, maxPathSegments, requestInfo } from './request-info.ts'
export type { NonResourceRequest, RequestHead, RequestInfo, ResourceRequest } from './request-info.ts'
export { responseHeadersFault } from './response-headers.ts'
export {
  defaultMemoryLimit,
  defaultProcessLimit,
  defaultScratchLimit,
  limitBounds,
  limitNames,
  limitsFault,
  type PluginLimits,
} from './plugin-limits.ts'
export { contentRoles, isRoleKey, roleKeys, uiPermissionFault } from './role-keys.ts'
export { createRouteTable, otherRoutesWords, routesClash } from './route-table.ts'
export type { FoundRoute, OtherRoutes, RoutedRequest, RouteTable } from './route-table.ts'
export { verbs } from './rules.ts'
export type { NonResourceRule, ResourceRule, Rule, Verb } from './rules.ts'
export {
  formatSelector,
  maxAlternatives,
  maxAlternativeTerms,
  maxSelectorLength,
  maxSelectorSetValues,
  maxSelectorTerms,
  parseSelector,
} from './selector.ts'
export type { SelectorKind, SelectorTerm, UnplacedSelectorTerm } from './selector.ts'
