/** Served file types. HTML is not among them: a plugin's document would have the console's session. */
const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

export function fileType(path: string): string | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1)
  return Object.hasOwn(types, extension) ? types[extension] : undefined
}
