/** Refusals shown to a person in the portal who adds money: a status and a sentence for each reason. */
import type { Response } from 'express';

type Told = { readonly status: number; readonly message: string };
export type Sentences<R extends { readonly reason: string }> = {
  readonly [Reason in R['reason']]: (refusal: Extract<R, { readonly reason: Reason }>) => Told;
};

/** Refusals common to all ways of adding money. */
export const sentencesOfAll = {
  'different-payload': () => ({
    status: 422,
    message: 'This Idempotency-Key was used with a different payload',
  }),
  'currency-not-billed': ({ currency }: { readonly currency: string }) => ({
    status: 400,
    message: `The billing currency ${currency} cannot be billed`,
  }),
};

export function refusePerson<R extends { readonly reason: string }>(
  res: Response,
  sentences: Sentences<R>,
  refusal: R,
): void {
  const tell = sentences[refusal.reason as R['reason']] as (refusal: R) => Told;
  const { status, message } = tell(refusal);
  res.status(status).json({ message });
}
