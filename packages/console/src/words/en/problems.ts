import type { Reason } from '@pergola/api'

type Params = Readonly<Record<string, unknown>>

interface ProblemSentence {
  readonly title: string
  /** Undefined if the parameters are not enough for a sentence. */
  readonly detail?: (params: Params) => string | undefined
}

const named = (other: unknown) => (other === '' ? 'another one' : `“${String(other)}”`)

/** The server sends English sentences; this table has those of checks in the console. */
export const problems = {
  problems: {
    DuplicateIndexValue: {
      title: 'A unique value is taken',
      // The field is empty for a value that the plugin computes.
      detail: ({ field, duplicateOf }) => {
        if (duplicateOf === undefined) return undefined
        if (field === '') return `This would be a duplicate of ${named(duplicateOf)}.`
        return `${String(field)} is used by ${named(duplicateOf)}.`
      },
    },
  } as Readonly<Partial<Record<Reason, ProblemSentence>>>,
  rules: {
    required: () => 'Required.',
    minimum: ({ limit }) => `At least ${String(limit)}.`,
    maximum: ({ limit }) => `At most ${String(limit)}.`,
    minLength: ({ limit }) => `At least ${String(limit)} characters.`,
    maxLength: ({ limit }) => `At most ${String(limit)} characters.`,
    maxItems: ({ limit }) => `At most ${String(limit)}.`,
    number: () => 'Not a number.',
    integer: () => 'A whole number.',
    email: () => 'Not a complete address. Write it as name@company.com.',
    uri: () => 'Not a complete address. Write it as https://company.com.',
    unique: ({ holder }) => (typeof holder === 'string' ? `Is taken by “${holder}”.` : 'Is taken.'),
    date: () => 'Not a day. Write it as 24 Nov 2026.',
  } as Readonly<Record<string, (params: Params) => string | undefined>>,
}
