/** Checks the input of internal routes against the contract. */
import type { z } from 'zod';
import { Fault } from '../process/faults.ts';

/** For bodies, queries and path parameters of routes that only our own services and tools call. Throws a 400 that names the faults. */
export function validInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Fault('input does not fit the contract', { status: 400, publicMessage: problems.join('; ') });
}
