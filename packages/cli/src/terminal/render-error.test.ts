import { ApiError } from '@pergola/api'
import { ConnectionError } from '@pergola/client'
import { describe, expect, test } from 'vitest'
import { CommandFault, usedWrongly } from './command-fault.ts'
import { renderError } from './render-error.ts'

const invalid = new ApiError('Invalid', 'the todo is not valid', {
  errors: [
    { pointer: '/spec/title', field: 'spec.title', rule: 'required', message: 'is required' },
    { pointer: '/a', field: 'a', rule: 'unknown', message: 'is not a known field' },
  ],
})

describe('an error ends a command', () => {
  test.each([
    ['for wrong usage', usedWrongly('no'), 2, ['no']],
    ['with what to do', new CommandFault('no', { next: 'pergola list' }), 1, ['no', '  next      pergola list']],
    [
      'with fields',
      invalid,
      1,
      ['the todo is not valid', '  spec.title  is required', '  a           is not a known field'],
    ],
    [
      'with fields once, when the message names them too',
      new ApiError('Invalid', 'the todo is not valid: spec.title is required; a is not a known field', {
        errors: invalid.errors ?? [],
      }),
      1,
      ['the todo is not valid', '  spec.title  is required', '  a           is not a known field'],
    ],
    [
      'without the field that the message explains',
      new ApiError('Invalid', 'sort: "spec.title" is not indexed in todos', {
        errors: [{ pointer: '', field: 'spec.title', rule: 'indexed', message: 'is not indexed' }],
      }),
      1,
      ['sort: "spec.title" is not indexed in todos'],
    ],
    ['not signed in', new ApiError('Unauthenticated', 'no'), 4, ['no', '  next      pergola login <url>']],
    [
      'of the server, with the request ID',
      new ApiError('Internal', 'the server failed', { requestId: 'r-1' }),
      1,
      ['the server failed', '  request   r-1, see the log of the server'],
    ],
    [
      'without a response',
      new ConnectionError('GET /apis has no answer: refused'),
      3,
      ['GET /apis has no answer: refused', '  next      check the URL and that the server is running:  pergola doctor'],
    ],
    ['of any kind', new Error('a\u001b[2Jb'), 1, [String.raw`a\u{1b}[2Jb`]],
    ['that is not an Error', 'text', 1, ['text']],
  ])('%s', (_what, error, exitCode, lines) => expect(renderError(error)).toEqual({ exitCode, lines }))

  test.each([
    ['EscalationForbidden', /ask somebody who holds these rights/],
    ['ModelNotFound', /pergola plugin list/],
    ['PluginNotStarted', /pergola plugin list/],
    ['TooManyRequests', /try again in a few s/],
    ['Draining', /pergola doctor/],
  ] as const)('for the reason %s, with the next step', (reason, words) =>
    expect(renderError(new ApiError(reason, 'no')).lines[1]).toMatch(words),
  )

  test('for a missing key of secrets, with the setting and its documentation', () => {
    const { lines } = renderError(new ApiError('Unavailable', 'no encryption key; set secrets.keys'))
    expect(lines[1]).toMatch(/secrets\.keys on the server, as in docs\/reference\/configuration\.md#secrets/)
  })

  test('with the Retry-After time of the server', () =>
    expect(renderError(new ApiError('TooManyRequests', 'no', { headers: { 'retry-after': '7' } })).lines[1]).toContain(
      'in 7 s',
    ))

  test('with a hint at the certificate authority, for an unknown certificate', () =>
    expect(renderError(new ConnectionError('GET / has no answer: self-signed certificate')).lines[1]).toContain(
      'NODE_EXTRA_CA_CERTS',
    ))
})
