import { growthOfModels } from './growth/models.ts'
import { growthOfObjects } from './growth/objects.ts'
import { growthOfPlugins } from './growth/plugins.ts'
import { growthOfWatchers } from './growth/watchers.ts'
import { runParts } from './measure/part.ts'

/** Whether an operation costs the same in a large installation: objects of one model, models, watchers, plugins. */
await runParts('growth', {
  objects: growthOfObjects,
  models: growthOfModels,
  watchers: growthOfWatchers,
  plugins: growthOfPlugins,
})
