import fc from 'fast-check'

/** Property tests meet the same cases in every run; `SEED` chooses others. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_260_101) })
