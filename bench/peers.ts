import { createDatabase, startPostgres } from '@pergola/test-servers'
import { runParts } from './measure/part.ts'
import type { Compared } from './peers/compared.ts'
import { directus } from './peers/directus.ts'
import { footprint } from './peers/footprint.ts'
import { payload } from './peers/payload.ts'
import { pergola } from './peers/pergola.ts'
import { races } from './peers/races.ts'
import { requests } from './peers/requests.ts'
import { strapi } from './peers/strapi.ts'
import type { Product, System } from './peers/system.ts'

/**
 * Pergola beside products that generate an API from a model. Installs them in a cache folder the first time.
 * `--peers=directus,payload` chooses; one that cannot be installed or started is left out with the reason.
 */
const peers: Readonly<Record<string, Product>> = { directus, strapi, payload }
const quick = process.argv.includes('--quick')
const rows = quick ? 20_000 : 100_000
const chosen = process.argv
  .find((word) => word.startsWith('--peers='))
  ?.slice('--peers='.length)
  .split(',')
const unknown = chosen?.filter((name) => !(name in peers)) ?? []
if (unknown.length > 0) throw new Error(`--peers knows ${Object.keys(peers).join(', ')}; not ${unknown.join(', ')}`)

const missing = new Map<string, string>()
const products: Product[] = []
for (const [name, product] of Object.entries(peers)) {
  if (chosen && !chosen.includes(name)) continue
  if (await succeeds(product, () => product.install())) products.push(product)
}

await using server = await startPostgres('18', { durable: true })
await using databases = new AsyncDisposableStack()
const systems: [System, ...System[]] = [await prepared(pergola)]
for (const product of products) {
  await succeeds(product, async () => {
    systems.push(await prepared(product))
  })
}
const compared: Compared = { systems, missing, rows }
await runParts('peers', {
  footprint: footprint(compared),
  races: races(compared),
  // Last, because it stores a million rows.
  requests: requests(compared),
})

async function prepared(product: Product): Promise<System> {
  console.log(`${product.name}: creates its tables, with ${rows.toLocaleString('en')} rows`)
  const { url: databaseUrl } = databases.use(await createDatabase(server.url))
  const system = await product.prepare({ databaseUrl })
  await system.load(1, rows)
  await using first = await system.start()
  console.log(`  answered ${first.startSeconds.toFixed(1)} s after its start`)
  return system
}

/** Notes why a peer cannot be measured. */
async function succeeds({ name }: Product, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.log(`${name} is not measured: ${text}`)
    missing.set(name, reasonIn(text))
    return false
  }
}

/** The line of the output that says why, without the folders of this machine. */
function reasonIn(text: string): string {
  const lines = text.split('\n')
  const line = lines.find((one) => /\b(\w*error|cannot|not found)\b/i.test(one)) ?? lines[0] ?? text
  return line.replaceAll(/(\/[\w.@+-]+)+\/(?=[\w.])/g, '').slice(0, 200)
}
