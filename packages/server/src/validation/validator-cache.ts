import { LRUCache } from 'lru-cache'
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
  const kept = new LRUCache<symbol, Promise<Validate>>({ max: most })
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
        kept.set(key, validate)
        return validate
      }
    },
  }
}
