import type { SchemaCompiler } from './schema-compiler.ts'
import { createValidate, type Validate } from './schema-validator.ts'
import type { ObjectSchema } from './object-schema.ts'

/** Compiled validators take 20 to 200 kB each: the least recently used are evicted and compiled again when needed. */
const usualMost = 200

/** Compiles a schema on first use, in a separate thread. */
export interface ValidatorCache {
  /** After a failure, the next caller tries again. */
  of(schema: ObjectSchema): () => Promise<Validate>
}

export function createValidatorCache(compiler: Pick<SchemaCompiler, 'compile'>, most = usualMost): ValidatorCache {
  /** Least recently used first. */
  const kept = new Map<symbol, Promise<Validate>>()
  const compile = (schema: ObjectSchema, key: symbol) => {
    const validate = createValidate((thoroughness) => compiler.compile(schema, thoroughness))
    validate.catch(() => kept.delete(key))
    return validate
  }
  return {
    of: (schema) => {
      const key = Symbol('schema')
      return () => {
        const validate = kept.get(key) ?? compile(schema, key)
        kept.delete(key)
        kept.set(key, validate)
        const [oldest] = kept.keys()
        if (kept.size > most && oldest) kept.delete(oldest)
        return validate
      }
    },
  }
}
