/** Works under an idempotency key, for creations and PATCH /offers/{offer_id} alike (decision 10, idempotency keys). */

import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { OffersContext } from '../context.ts';
import {
  type Creation,
  claimKey,
  type Hold,
  HoldLost,
  releaseLease,
  type StoredReply,
} from './idempotency-store.ts';

export type KeyRefusal = { readonly reason: 'in-flight' | 'different-payload' };

export type Outcome<Reply, Refusal extends object> =
  | { readonly ok: true; readonly reply: Reply; readonly replayed: boolean }
  | Refused<Refusal>;

/**
 * Replays the stored reply, refuses, or does the work as the holder of the key.
 * @param work frees the key when it refuses, or finishes it. When it throws, the key's lease ends, and a retry with the key continues
 */
export async function withKey<Reply extends StoredReply, Refusal extends object>(
  o: Pick<OffersContext, 'postgres' | 'clock' | 'logger'>,
  request: {
    readonly caller: CallerContext;
    readonly idempotencyKey: string;
    readonly fingerprint: Buffer;
  },
  work: (hold: Hold, creation: Creation) => Promise<Outcome<Reply, Refusal>>,
): Promise<Outcome<Reply, Refusal | KeyRefusal>> {
  const { organisationId, mode } = request.caller;
  const name = { organisationId, mode, idempotencyKey: request.idempotencyKey };
  const claim = await claimKey<Reply>(o.postgres, name, request.fingerprint, o.clock.now());
  if (claim.outcome === 'replay') return { ok: true, reply: claim.reply, replayed: true };
  if (claim.outcome !== 'held') return { ok: false, reason: claim.outcome };
  try {
    return await work(claim.hold, claim.creation);
  } catch (fault) {
    await releaseLease(o.postgres, claim.hold, o.clock.now()).catch((error: unknown) => {
      o.logger.warn({ error }, 'a key stays leased until its lease runs out');
    });
    if (fault instanceof HoldLost) return { ok: false, reason: 'in-flight' };
    throw fault;
  }
}
