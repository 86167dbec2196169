import { expect, it } from 'vitest'
import { originOf } from './fault-place.ts'

/**
 * Two small modules, bundled and minified: `export const late = (one, other) => {⏎ if (one > other) throw new Error('late')⏎ return
 * [one, other]⏎}`, and one that calls it with a text of two lines.
 */
const code = [
  'const e=(e,t)=>{if(e>t)throw Error(`late`);return[e,t]};function t(t){return e(t,`${t}',
  '`)}export{t as first};',
]
const map = {
  sources: ['src/second.ts', 'src/first.ts'],
  mappings:
    'AAAA,MAAaA,GAAQ,EAAK,IAAU,CAClC,GAAIC,EAAMC,EAAO,MAAU,MAAM,MAAM,EACvC,MAAO,CAACD,EAAKC,CAAK,CACpB,ECDA,SAAgBC,EAAM,EAAO,CAC3B,OAAOH,EAAKI,EAAO,GAAGA,EAAM;CAC7B,CACD,C',
}

const rows: readonly (readonly [text: string, place: string | undefined])[] = [
  ['const e', 'src/second.ts:1:1'],
  ['if(e', 'src/second.ts:2:3'],
  ['Error(', 'src/second.ts:2:30'],
  ['rror(', 'src/second.ts:2:30'],
  ['return[', 'src/second.ts:3:3'],
  ['function', 'src/first.ts:3:1'],
  ['return e', 'src/first.ts:4:3'],
  [')}export', 'src/first.ts:5:2'],
  ['export{', undefined],
]
it.each(rows)('the place of %s', (text, place) => {
  const line = code.findIndex((one) => one.includes(text))
  const found = originOf(map, { line: line + 1, column: (code[line]?.indexOf(text) ?? 0) + 1 })
  expect(found && `${found.file}:${found.line}:${found.column}`).toBe(place)
})
