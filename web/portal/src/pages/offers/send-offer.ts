/**
 * Sends an offer so that one results at most, whatever happens on the way: under one Idempotency-Key, and again under the same key while
 * nobody knows what became of it (specification, Create; decision 10).
 */
import type { CreateReply } from '@offer-ads/contracts/public-api';
import type { Refusal, Reply } from '../../../../ui/call.ts';

/** One key with the one form that it stands for: what is sent again is the same to the byte. */
export type Attempt = { readonly key: string; readonly form: FormData };

export type Sent =
  | { readonly outcome: 'created'; readonly offer: CreateReply }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  /** It may exist or not; the same attempt can be sent again. */
  | { readonly outcome: 'unknown'; readonly refusal: Refusal };

type SendOffer = {
  readonly attempt: Attempt;
  readonly post: (attempt: Attempt) => Promise<Reply<CreateReply>>;
  readonly wait: (ms: number) => Promise<void>;
  /** Before each repetition. */
  readonly findingOut: () => void;
};

/** Longer and longer, for two minutes in all; then a person decides. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

export async function sendOffer({ attempt, post, wait, findingOut }: SendOffer): Promise<Sent> {
  let reply = await post(attempt);
  for (const ms of waitsMs) {
    if (reply.ok || !isUnknown(reply)) break;
    findingOut();
    await wait(ms);
    reply = await post(attempt);
  }
  if (reply.ok) return { outcome: 'created', offer: reply.body };
  return { outcome: isUnknown(reply) ? 'unknown' : 'refused', refusal: reply };
}

/** No reply, a reply that says nothing about the offer, or "still being processed". */
function isUnknown({ status }: Refusal): boolean {
  return status === 0 || status === 409 || status >= 500;
}
