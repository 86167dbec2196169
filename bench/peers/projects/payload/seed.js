import { getPayload } from 'payload'
import config from './payload.config.js'

// Creates the tables, which the built server does not.
const payload = await getPayload({ config })
await payload.create({
  collection: 'users',
  overrideAccess: true,
  data: {
    email: 'bench@example.com',
    password: 'password-of-the-benchmark',
    role: 'bench',
    enableAPIKey: true,
    apiKey: process.env.BENCH_TOKEN,
  },
})
process.exit(0)
