/** What a wrong environment is told. */
import type { z } from 'zod';
import { ConfigError, readConfig } from '../src/config/config.ts';

export function configProblems(schema: z.ZodObject, env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  throw new Error('expected a ConfigError');
}
