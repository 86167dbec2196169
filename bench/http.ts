import { againstBare } from './http/against-bare.ts'
import { manyModels } from './http/many-models.ts'
import { validation } from './http/validation.ts'
import { runParts } from './measure/part.ts'

/** The generated API: CPU per request beside a bare server, start with many models, validation. */
await runParts('http', { 'against-bare': againstBare, 'many-models': manyModels, validation })
