import { mayDo } from '../session/permissions.ts'
import { listModels, type ListedModel } from './listed-models.ts'

/** The models on whose objects the signed-in user may use this verb. */
export async function modelsAllowing(verb: 'list' | 'create'): Promise<readonly ListedModel[]> {
  const models = (await listModels()).filter(({ verbs }) => verbs.includes(verb))
  const may = await Promise.all(models.map(async ({ group, plural }) => mayDo({ verb, group, resource: plural })))
  return models.filter((_, at) => may[at])
}
