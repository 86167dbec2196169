import type { ErrorObject } from 'ajv/dist/2020.js'

/**
 * A value that matches none of several forms violates rules of each. Where one form was clearly meant, report its errors;
 * otherwise only that no form matches.
 */
export function withoutFormNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept: readonly ErrorObject[] = []
  for (const error of errors) {
    const ofForms = isNoFit(error) ? kept.filter((one) => isInForm(one, error)) : []
    const others = kept.filter((one) => !ofForms.includes(one))
    kept = [...others, ...(ofForms.length > 0 ? (meantForm(ofForms, error) ?? [error]) : [error])]
  }
  return kept
}

function isNoFit({ keyword, params }: ErrorObject): boolean {
  if (keyword === 'anyOf') return true
  return keyword === 'oneOf' && !Array.isArray((params as { passingSchemas?: unknown }).passingSchemas)
}

/** `whole` is the error of the `oneOf` or `anyOf`; the errors of its forms have paths below it. */
function isInForm(one: ErrorObject, whole: ErrorObject): boolean {
  return one.schemaPath.startsWith(`${whole.schemaPath}/`) && one.instancePath.startsWith(whole.instancePath)
}

/** The errors of the only form of the right type, or of the only such form that has all its fields. */
function meantForm(errors: readonly ErrorObject[], whole: ErrorObject): readonly ErrorObject[] | undefined {
  const formOf = ({ schemaPath }: ErrorObject) => schemaPath.slice(whole.schemaPath.length + 1).split('/', 1)[0] ?? ''
  const forms = Object.values(Object.groupBy(errors, formOf)).filter((faults) => faults !== undefined)
  const breaks = (keywords: readonly string[]) => (faults: readonly ErrorObject[]) =>
    faults.some((one) => one.instancePath === whole.instancePath && keywords.includes(one.keyword))
  const ofType = forms.filter((faults) => !breaks(['type', 'const', 'enum'])(faults))
  const complete = ofType.filter((faults) => !breaks(['required'])(faults))
  const [meant, ...more] = ofType.length === 1 ? ofType : complete
  return more.length === 0 ? meant : undefined
}
