import { coreResources, type Role } from '@pergola/api'
import { useQuery } from '@tanstack/vue-query'
import { computed, type ComputedRef } from 'vue'
import { manyInText } from '../models/kind-words.ts'
import { useModels } from '../models/listed-models.ts'
import { client } from '../server/client.ts'
import { readAll } from '../server/read-all.ts'
import { held } from '../session/permissions.ts'
import { useMay } from '../session/use-may.ts'
import { words } from '../words/words.ts'
import { roleSentence } from './role-sentence.ts'
import { displayNameOf } from './role-words.ts'

export interface RoleBook {
  readonly all: ComputedRef<readonly Role[]>
  readonly isReady: ComputedRef<boolean>
  /** The display name of a role; its API name if the signed-in user neither holds it nor may read roles. */
  readonly nameOf: (role: string) => string
  /** The data of a rule in the words of its model: `loans/loans` as `loans`. */
  readonly dataOf: (resource: string) => string
  /** Describes in one sentence what a role allows. */
  readonly doesOf: (role: Role) => string
}

/** The roles that the signed-in user may read. */
export function useRoles(): RoleBook {
  const mayList = useMay({ verb: 'list', group: '', resource: 'roles' })
  const read = useQuery({
    queryKey: ['roles'],
    queryFn: async ({ signal }) => readAll(client.resource(coreResources.roles).listAll({}, { signal })),
    enabled: mayList,
  })
  const models = useModels()
  const all = computed(() => read.data.value ?? [])
  const byName = computed(() => new Map(all.value.map((role) => [role.metadata.name, role])))
  return {
    all,
    isReady: computed(() => read.data.value !== undefined),
    nameOf: (name) => {
      const role = byName.value.get(name)
      const own = held.value?.roles.find((one) => one.name === name)
      return words.value.roleNames[name] ?? (role ? displayNameOf(role) : (own?.displayName ?? name))
    },
    dataOf: (resource) => {
      const [plural, isPlugins] = [resource.split('/').at(-1), resource.includes('/')]
      const model = models.data.value?.find((one) => one.plural === plural && !(isPlugins && one.isOwn))
      return model ? manyInText(model) : resource
    },
    doesOf: (role) => roleSentence(role, { all: all.value, models: models.data.value ?? [], words: words.value }),
  }
}
