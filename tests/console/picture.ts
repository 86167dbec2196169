import type { Page } from 'playwright-core'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A picture as WebP through the DevTools protocol, the only way in Chromium; half the size of JPEG. */
export async function pictureOf(page: Page, box?: Box): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const clip = box && { ...box, scale: 1 }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80, ...(clip && { clip }) })
  await session.detach()
  return Buffer.from(data, 'base64')
}
