/** Fields of Stripe's objects. Whatever else stands there makes the object unreadable: nothing is guessed about money. */
import { z } from 'zod';

export const text = z.string().min(1).max(255);

/** Whole minor units, never below zero. */
export const amount = z.int().nonnegative().transform(BigInt);

/** In lower case at Stripe. */
export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((code) => code.toUpperCase());

/** Whole seconds since 1970, up to the year 9999. */
export const instant = z
  .int()
  .nonnegative()
  .max(253_402_300_799)
  .transform((seconds) => new Date(seconds * 1_000));

/** Stripe writes an id, or the whole object if it was expanded. */
export const reference = z.union([text, z.object({ id: text }).transform(({ id }) => id)]).nullable();
