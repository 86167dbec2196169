import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

export const password = 'correct horse battery'

/** A new host and browsers of its users. */
export interface Stage extends AsyncDisposable {
  readonly url: string
  /** URL of the host's database. */
  readonly database: string
  /** Secret that creates the first administrator. */
  readonly setupSecret: string
  /** A new browser. */
  open(options?: BrowserOptions): Promise<Visitor>
  /** A new browser with a signed-in user. */
  as(username: string, options?: BrowserOptions): Promise<Visitor>
  /** Calls the API as the administrator. */
  api(method: string, path: string, body?: object | Buffer): Promise<unknown>
  until(what: string, holds: () => Promise<boolean>): Promise<void>
}

export interface BrowserOptions {
  readonly dark?: boolean
  readonly phone?: boolean
  readonly tablet?: boolean
  /** `zh-CN`; English without it. */
  readonly language?: string
  /** URL of another host. */
  readonly at?: string
}

/** A user with a browser. */
export interface Visitor extends AsyncDisposable {
  readonly page: Page
  /** Opens a page of the console by its URL. */
  goTo(path: string): Promise<void>
  /** Opens a page from the menu, without a reload. */
  choose(entry: string): Promise<void>
  /** Observed faults: browser errors and requests to other origins. */
  readonly faults: readonly string[]
  /** Error responses that the journey expects. */
  expectStatus(status: number): void
  /** The journey cuts the connection, which the browser reports. */
  expectDisconnection(): void
}

export type StageOptions = Pick<Stage, 'url' | 'database' | 'setupSecret'>

const untilMs = 120_000

export async function openStage({ url, database, setupSecret }: StageOptions): Promise<Stage> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  let token: string | undefined
  const signIn = async () => {
    const response = await fetch(`${url}/auth/sessions`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password, transport: 'token' }),
    })
    return ((await response.json()) as { readonly token: string }).token
  }
  const api: Stage['api'] = async (method, path, body) => {
    token ??= await signIn()
    const isBytes = Buffer.isBuffer(body)
    const contentType = isBytes
      ? 'application/gzip'
      : method === 'PATCH'
        ? 'application/merge-patch+json'
        : 'application/json'
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': contentType }) },
      ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  const open: Stage['open'] = (options) => openVisitor(browser, options?.at ?? url, options)
  return {
    url,
    database,
    setupSecret,
    open,
    api,
    as: async (username, options) => {
      const visitor = await open(options)
      const { page } = visitor
      await page.goto(`${url}/console`)
      await page.getByLabel('User name').fill(username)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      // On a phone the menu is closed.
      await page.locator(`[data-user="${username}"]`).waitFor({ state: 'attached' })
      return visitor
    },
    until: async (what, holds) => {
      for (const end = Date.now() + untilMs; Date.now() < end; await sleep(200)) if (await holds()) return
      throw new Error(`${what}: not within ${untilMs / 1000} s`)
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

const phone = { width: 360, height: 740 }
const tablet = { width: 1024, height: 768 }
const desk = { width: 1280, height: 800 }

/** What the browser, or a frame of plugin pages, reports of a cut connection. */
const disconnection = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch dynamically imported module/

async function openVisitor(browser: Browser, url: string, options: BrowserOptions = {}): Promise<Visitor> {
  const context: BrowserContext = await browser.newContext({
    viewport: options.phone ? phone : options.tablet ? tablet : desk,
    colorScheme: options.dark ? 'dark' : 'light',
    locale: options.language ?? 'en-GB',
    ...(options.phone && { deviceScaleFactor: 2, hasTouch: true }),
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  const expected = new Set<number>()
  let isCut = false
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && protocol !== 'data:' && protocol !== 'blob:') faults.push(`a request to ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`an error nobody caught: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' || (isCut && disconnection.test(message.text()))) return
    const [, refused] = /Failed to load resource.*status of (\d+)/.exec(message.text()) ?? []
    const status = /WebSocket.*HTTP Authentication failed/.test(message.text()) ? '401' : refused
    if (status === undefined || !expected.has(Number(status)))
      faults.push(`${message.text()} ${message.location().url}`)
  })
  return {
    page,
    faults,
    expectStatus: (status) => void expected.add(status),
    expectDisconnection: () => {
      isCut = true
    },
    goTo: async (path) => {
      await page.goto(`${url}/console${path}`)
      await page.locator('main h1').first().waitFor()
    },
    choose: async (entry) => {
      await page.getByRole('navigation').getByRole('link', { name: entry, exact: true }).click()
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}
