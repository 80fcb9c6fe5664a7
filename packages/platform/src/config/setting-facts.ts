/** What a schema says of its settings beside their shape: zod's metadata, read by config.ts, the documents and the tests. */
import { z } from 'zod';

export type SettingFacts = {
  /** What it is, in which unit, and when to change it. */
  readonly description?: string;
  /** Its value is a secret or holds one, as an address with a password does: NAME_FILE may name a file that holds it. */
  readonly secret?: true;
  readonly example?: string;
  /** What is taken without it, where that is not one value. */
  readonly without?: string;
};

/** Those of the outermost schema win: `secret.optional()` is a secret still, and says more with `.meta()` after it. */
export function factsOf(field: unknown): SettingFacts {
  if (!(field instanceof z.ZodType)) return {};
  return { ...factsOf(innerOf(field)), ...(field.meta() as SettingFacts | undefined) };
}

export type SettingDefault = { readonly required: boolean; readonly byDefault?: string };

/** Whether a start insists on it, and what is taken otherwise, as one would write it into the environment. */
export function defaultOf(field: unknown): SettingDefault {
  if (field instanceof z.ZodDefault) return { required: false, byDefault: String(field.def.defaultValue) };
  if (field instanceof z.ZodOptional) return { required: false };
  const inner = innerOf(field);
  return inner === undefined ? { required: true } : defaultOf(inner);
}

/** Of a default, an optional one, and of what is transformed after it was read. */
function innerOf(field: unknown): unknown {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return field.unwrap();
  if (field instanceof z.ZodPipe) return field.in;
  return undefined;
}
