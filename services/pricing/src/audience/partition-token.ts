/** Proves to a partition that a request comes from another process of pricing. */
import { createSeal } from '@offer-ads/platform/config/secrets';
import type { Clock } from '@offer-ads/platform/process/clock';

/** Longer than a request takes, and than the clocks of two machines differ. */
const VALID_MS = 60_000;

/** No caller context is signed like this, because those are base64url and contain no colon. */
const sealed = (validUntil: string) => `audience-partition:${validUntil}`;

export type PartitionTokens = {
  readonly issue: () => string;
  readonly isValid: (token: string) => boolean;
};

/** @param o.secret pricing's own (PRICING_CONTEXT_SECRET); while it is being replaced, several */
export function partitionTokens(o: { readonly secret: string; readonly clock: Clock }): PartitionTokens {
  const seal = createSeal(o.secret);
  const nowMs = () => o.clock.now().getTime();
  return {
    issue: () => {
      const validUntil = String(nowMs() + VALID_MS);
      return `${validUntil}.${seal.sign(sealed(validUntil))}`;
    },
    isValid: (token) => {
      const dot = token.indexOf('.');
      const validUntil = token.slice(0, Math.max(0, dot));
      return seal.isGenuine(sealed(validUntil), token.slice(dot + 1)) && Number(validUntil) > nowMs();
    },
  };
}
