import { describe, expect, test } from 'vitest'
import { finalizerFault, keyFault, labelValueFault, objectNameFault } from './names.ts'

const long = (length: number) => 'a'.repeat(length)

const rows = [
  [
    objectNameFault,
    'an object name',
    {
      sound: ['a', '0', 'my-role', 'a--b', long(253)],
      faulty: ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'ü', 'a\n', long(254)],
    },
  ],
  [
    keyFault,
    'a key',
    {
      sound: ['a', 'A.b_c-d', 'example.com/name', 'a/b', `${long(253)}/a`, `x/${long(63)}`, '1.example/0'],
      faulty: [
        '',
        '/',
        'a/',
        '/a',
        'a/b/c',
        'Example.com/a',
        'a..b/c',
        '-a/b',
        'a/-b',
        'a/b-',
        'a b',
        `${long(254)}/a`,
        `x/${long(64)}`,
      ],
    },
  ],
  [
    finalizerFault,
    'a finalizer',
    {
      sound: ['example.com/cleanup', 'cleanup', 'a/', 'é:b', long(253)],
      faulty: ['', 'a b', 'a\tb', '\u0007', long(254)],
    },
  ],
  [
    labelValueFault,
    'a label value',
    {
      sound: ['', 'true', '-A.b_c-d', 'a b/c', 'ü', long(253)],
      faulty: [' a', 'a ', 'a\nb', 'a\u0000', long(254), '\u{1f33f}'.repeat(129)],
    },
  ],
] as const

for (const [faultOf, what, { sound, faulty }] of rows) {
  describe(what, () => {
    for (const value of sound) test(`may be "${value}"`, () => expect(faultOf(value)).toBeUndefined())
    for (const value of faulty) test(`may not be ${JSON.stringify(value)}`, () => expect(faultOf(value)).toMatch(/\w/))
  })
}
