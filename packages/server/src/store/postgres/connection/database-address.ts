/** User, host, port and database, without the password. */
export function databaseAddress(url: string): string {
  const { hostname, port, pathname, username } = new URL(url)
  const user = username ? `${username}@` : ''
  return `PostgreSQL ${user}${hostname}:${port || '5432'}${pathname}`
}
