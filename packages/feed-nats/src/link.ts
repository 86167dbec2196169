import { setTimeout as sleep } from 'node:timers/promises'
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import type { Log, NatsAddress } from '@pergola/server/feed'

/** A connection to NATS that is kept while the process runs; no caller has to wait for it. */
export interface NatsLink extends AsyncDisposable {
  /** Undefined while NATS cannot be reached. */
  connection(): NatsConnection | undefined
}

const retryMs = 500
/** A server that does not answer is abandoned after about twice this, and another one is used. */
const pingMs = 1_000
const connectMs = 2_000

export function keepLink(address: NatsAddress, log: Log): NatsLink {
  const stop = new AbortController()
  let current: NatsConnection | undefined
  let isUp = false
  const follow = async (connection: NatsConnection) => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        isUp = false
        log.warn('the link to NATS is lost; changes are read from the database meanwhile')
      }
      if (type === 'reconnect') isUp = true
    }
  }
  const run = async () => {
    let failing = false
    while (!stop.signal.aborted) {
      try {
        current = await connect(optionsOf(address))
        if (stop.signal.aborted) return await current.close()
        isUp = true
        failing = false
        void follow(current)
        await current.closed()
      } catch (err) {
        // The library's errors name servers, never credentials.
        if (!failing)
          log.warn({ err }, 'cannot connect to NATS; reading changes from the database until it is available')
        failing = true
      }
      current = undefined
      isUp = false
      await sleep(retryMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    connection: () => (isUp ? current : undefined),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await current?.close()
      await Promise.race([running, sleep(retryMs, undefined, { ref: false })])
    },
  }
}

function optionsOf({ urls, user, password, token, credentials, tls }: NatsAddress): NodeConnectionOptions {
  return {
    servers: [...urls],
    name: 'pergola',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    timeout: connectMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    // Keep retrying: somebody may be about to correct the password.
    ignoreAuthErrorAbort: true,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { pass: password }),
    ...(token !== undefined && { token }),
    ...(credentials !== undefined && { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
    ...(tls && { tls }),
  }
}
