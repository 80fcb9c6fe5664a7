/** The problems that a wrong environment has. */
import type { z } from 'zod';
import { readConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/config-error.ts';

export function configProblems(schema: z.ZodObject, env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  throw new Error('expected a ConfigError');
}
