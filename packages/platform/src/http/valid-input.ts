/** Input of internal routes: it fits the contract, or the caller is told where it does not. */
import type { z } from 'zod';
import { Fault } from '../process/faults.ts';

/** Bodies, queries and path parameters of routes that only our own services and tools call; throws a 400. */
export function validInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Fault('input does not fit the contract', { status: 400, publicMessage: problems.join('; ') });
}
