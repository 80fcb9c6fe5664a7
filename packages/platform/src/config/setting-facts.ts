/** Metadata of settings in zod schemas: read by config.ts, by the generated documents and by tests. */
import { z } from 'zod';

export type SettingFacts = {
  /** What it is, in which unit, and when to change it. */
  readonly description?: string;
  /** The value is or contains a secret, such as an address with a password. NAME_FILE may name a file that holds it. */
  readonly secret?: true;
  readonly example?: string;
  /** What is used when it is not set, in words, where that is not one fixed value. */
  readonly without?: string;
};

/** The outermost schema wins: `secret.optional()` is still a secret, and a `.meta()` after it adds to the metadata. */
export function factsOf(field: unknown): SettingFacts {
  if (!(field instanceof z.ZodType)) return {};
  return { ...factsOf(innerOf(field)), ...(field.meta() as SettingFacts | undefined) };
}

export type SettingDefault = { readonly required: boolean; readonly byDefault?: string };

/** Whether the setting is required, and its default as it would be written in the environment. */
export function defaultOf(field: unknown): SettingDefault {
  if (field instanceof z.ZodDefault) return { required: false, byDefault: String(field.def.defaultValue) };
  if (field instanceof z.ZodOptional) return { required: false };
  const inner = innerOf(field);
  return inner === undefined ? { required: true } : defaultOf(inner);
}

/** The schema inside a default, an optional one, or a transformation. */
function innerOf(field: unknown): unknown {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return field.unwrap();
  if (field instanceof z.ZodPipe) return field.in;
  return undefined;
}
