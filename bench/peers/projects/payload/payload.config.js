import { postgresAdapter } from '@payloadcms/db-postgres'
import { buildConfig } from 'payload'

const isBench = ({ req: { user } }) => user?.role === 'bench'
const nobody = () => false

export default buildConfig({
  secret: 'secret-of-the-benchmark',
  telemetry: false,
  // An update takes a second connection while its transaction holds one; with fewer than twice the callers it can wait forever.
  db: postgresAdapter({ pool: { connectionString: process.env.DATABASE_URL, max: 80 } }),
  admin: { user: 'users', disable: true },
  collections: [
    {
      slug: 'users',
      auth: { useAPIKey: true },
      access: { create: nobody, read: nobody, update: nobody, delete: nobody },
      fields: [{ name: 'role', type: 'text' }],
    },
    {
      slug: 'persons',
      lockDocuments: false,
      access: { create: isBench, read: isBench, update: isBench, delete: nobody },
      fields: [
        { name: 'name', type: 'text' },
        { name: 'email', type: 'text', unique: true, index: true },
        { name: 'age', type: 'number' },
        { name: 'tags', type: 'json' },
        { name: 'city', type: 'text' },
      ],
    },
  ],
})
