import { coreResources, type RoleBinding } from '@pergola/api'
import { client } from '../server/client.ts'

/** Lets a user hold a role. */
export async function giveRole(user: string, role: string): Promise<RoleBinding> {
  return client.resource(coreResources.roleBindings).create({
    metadata: { name: `${user}-${role}` },
    roleRef: { name: role },
    subjects: [{ name: user }],
  })
}
