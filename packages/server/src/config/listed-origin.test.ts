import { expect, test } from 'vitest'
import { faultOfOrigin } from './listed-origin.ts'

const fine = [
  'https://app.example.com',
  'https://app.example.com:8443',
  'http://localhost:5173',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
]
for (const text of fine) {
  test(`${text} is accepted`, () => {
    expect(faultOfOrigin(text, false)).toBeUndefined()
  })
}

const refused: readonly (readonly [text: string, fault: RegExp])[] = [
  ['*', /"\*" is not supported/],
  ['https://*.example.com', /"\*" is not supported/],
  ['null', /must be an origin/],
  ['', /must be an origin/],
  ['app.example.com', /must be an origin/],
  ['ftp://app.example.com', /must be an origin/],
  ['https://ann@app.example.com', /must be an origin/],
  ['https://app.example.com/', /as browsers send it: https:\/\/app\.example\.com$/],
  ['https://app.example.com/page', /as browsers send it: https:\/\/app\.example\.com$/],
  ['https://app.example.com:443', /as browsers send it: https:\/\/app\.example\.com$/],
  ['https://App.example.com', /as browsers send it: https:\/\/app\.example\.com$/],
  ['http://app.example.com', /uses plain http.*use https:\/\/app\.example\.com, or set server\.allowInsecureLogin/],
  ['http://localhost.example.com', /uses plain http/],
]
for (const [text, fault] of refused) {
  test(`"${text}" is rejected`, () => {
    expect(faultOfOrigin(text, false)).toMatch(fault)
  })
}

test('plain http is accepted with server.allowInsecureLogin', () => {
  expect(faultOfOrigin('http://app.example.com', true)).toBeUndefined()
})
