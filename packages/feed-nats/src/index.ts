export { createNatsFeed } from './nats-feed.ts'
