/** What the gateway asks offers, because pricing checks the start of an estimate by the test clock (decision 216, test clock). */
import { z } from 'zod';

export const testClockPath = '/internal/test-clock';
/** How far the clock of the caller's organisation is ahead of the real time. */
export const testClockAhead = z.object({ aheadSeconds: z.int().nonnegative() });
export type TestClockAhead = z.infer<typeof testClockAhead>;
