/** Signed addresses that show a picture to whoever has one, until they expire. */
import { createSeal } from '@offer-ads/platform/config/secrets';

export type ImageAddresses = {
  readonly sign: (name: string, expiresAt: Date) => string;
  /** Whether we signed it and it has not expired. */
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

/** A day, counted from the next whole hour, so that browsers meet the same address again and keep the picture. */
export function listedAddressExpiry(now: Date): Date {
  return new Date((Math.ceil(now.getTime() / HOUR_MS) + LISTED_HOURS) * HOUR_MS);
}
