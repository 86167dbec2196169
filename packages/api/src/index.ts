export {
  finalizerFault,
  keyFault,
  labelValueFault,
  maxKeyNameLength,
  maxKeyPrefixLength,
  maxLabelValueLength,
  maxObjectNameLength,
  objectNameFault,
} from './names.ts'
export { apiVersionOf } from './object.ts'
export type { ApiObject, Metadata } from './object.ts'
export { ApiError, isApiError, problems, toProblem } from './problem.ts'
export type { ApiErrorOptions, FieldError, Problem, Reason } from './problem.ts'
export { isNamedCreate, maxPathSegments, requestInfo } from './request-info.ts'
export type { NonResourceRequest, RequestHead, RequestInfo, ResourceRequest } from './request-info.ts'
export { verbs } from './rules.ts'
export type { NonResourceRule, ResourceRule, Role, Rule, Verb } from './rules.ts'
export { formatSelector, maxSelectorLength, maxSelectorSetValues, maxSelectorTerms, parseSelector } from './selector.ts'
export type { SelectorKind, SelectorTerm, UnplacedSelectorTerm } from './selector.ts'
