/**
 * Sends an offer so that at most one is created: with one Idempotency-Key, and again with the same key while the outcome is unknown
 * (specification, Create; decision 10, idempotency keys).
 */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
import type { Refusal, Reply } from '../../../../../../ui/calls/call.ts';
import { leavesUnknown } from '../../../../attempts/attempt.ts';

/** What was created: an offer, or a group of them for several places. */
export type CreatedReply = CreateReply | CreateGroupReply;

/** One key with its form, so that a repetition sends exactly the same bytes. */
export type Sending = {
  readonly key: string;
  readonly form: FormData;
  readonly isRepeat: boolean;
};

export type Sent<Created> =
  | { readonly outcome: 'created'; readonly offer: Created }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  /** The offer may exist or not; the same request can be sent again. */
  | { readonly outcome: 'unknown'; readonly refusal: Refusal }
  /** The key was used for another form before: that offer exists or is being created. */
  | { readonly outcome: 'sent-before' };

type SendOffer<Created> = {
  readonly sending: Sending;
  readonly post: (sending: Sending) => Promise<Reply<Created>>;
  readonly wait: (ms: number) => Promise<void>;
  /** Called before each repetition. */
  readonly findingOut: () => void;
};

/** Growing pauses, two minutes in all; then the person decides. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

export async function sendOffer<Created extends CreatedReply>({
  sending,
  post,
  wait,
  findingOut,
}: SendOffer<Created>): Promise<Sent<Created>> {
  let reply = await post(sending);
  let { isRepeat } = sending;
  for (const ms of waitsMs) {
    if (reply.ok || !isUnknown(reply, isRepeat) || needsPerson(reply)) break;
    findingOut();
    await wait(ms);
    reply = await post(sending);
    isRepeat = true;
  }
  if (reply.ok) return { outcome: 'created', offer: reply.body };
  if (isRepeat && reply.status === 422) return { outcome: 'sent-before' };
  return { outcome: isUnknown(reply, isRepeat) ? 'unknown' : 'refused', refusal: reply };
}

/** No reply, a reply that does not show the outcome, or "still being processed". */
function isUnknown(refusal: Refusal, isRepeat: boolean): boolean {
  return refusal.status === 409 || leavesUnknown(refusal, isRepeat);
}

/** The person must sign in first. */
function needsPerson({ status }: Refusal): boolean {
  return status === 401 || status === 403;
}
