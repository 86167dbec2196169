import { globSync, readFileSync } from 'node:fs'

/** What Prometheus reads of a metric that is made under a name. */
const shownAs: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** Every metric of the server, by the calls in its sources that make one: counters appear in `/metrics` only once they count. */
export function registeredMetrics(): ReadonlySet<string> {
  const sources = globSync('packages/server/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  return new Set(sources.flatMap((file) => metricsMadeIn(readFileSync(file, 'utf8'), file)))
}

export function metricsMadeIn(text: string, file: string): readonly string[] {
  const made = [...text.matchAll(/(\w+)\(\s*'(pergola_\w+)'/g)]
  const named = [...text.matchAll(/['"`]pergola_\w+/g)]
  if (made.length !== named.length) {
    throw new Error(
      `${file} names a metric elsewhere than as the first argument of what makes it, so nobody knows its kind`,
    )
  }
  return made.flatMap(([, maker = '', name = '']) => {
    const [kind] = /counter|gauge|histogram/i.exec(maker) ?? []
    if (kind === undefined) throw new Error(`${file}: ${maker}('${name}') does not say which kind of metric it makes`)
    return (shownAs[kind.toLowerCase()] ?? []).map((ending) => `${name}${ending}`)
  })
}
