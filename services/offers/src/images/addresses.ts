/** Signed addresses of pictures and their renditions: whoever has one can load it until it expires. The width is in the signed name. */
import { createSeal } from '@offer-ads/platform/config/secrets';

export type ImageAddresses = {
  readonly sign: (name: string, expiresAt: Date) => string;
  /** Whether this service signed it and it has not expired. */
  readonly verify: (name: string, expires: string, signature: string, now: Date) => boolean;
};

export function imageAddresses(o: { secret: string; publicUrl: string }): ImageAddresses {
  const seal = createSeal(o.secret);
  return {
    sign: (name, expiresAt) => {
      const expires = String(Math.ceil(expiresAt.getTime() / 1_000));
      const signature = seal.sign(`${name}\n${expires}`);
      return `${o.publicUrl}/images/${name}?expires=${expires}&signature=${signature}`;
    },
    verify: (name, expires, signature, now) => {
      const genuine = seal.isGenuine(`${name}\n${expires}`, signature);
      return genuine && now.getTime() < Number(expires) * 1_000;
    },
  };
}

const HOUR_MS = 3_600_000;
const LISTED_HOURS = 24;

/** One day after the next full hour: browsers get the same address for an hour and use their cached picture. */
export function listedAddressExpiry(now: Date): Date {
  return new Date((Math.ceil(now.getTime() / HOUR_MS) + LISTED_HOURS) * HOUR_MS);
}
