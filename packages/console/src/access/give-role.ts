import { client } from '../server/client.ts'
import { bindings, type RoleBinding } from './core-types.ts'

/** Lets a user hold a role. */
export async function giveRole(user: string, role: string): Promise<RoleBinding> {
  return client.resource(bindings).create({
    metadata: { name: `${user}-${role}` },
    roleRef: { name: role },
    subjects: [{ name: user }],
  })
}
