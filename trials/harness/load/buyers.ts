/** The organisations of a load, and what each of them bought. */
import { randomUUID } from 'node:crypto';
import { provideOrganisation } from '@offer-ads/dev/demo-data';
import type { System } from '../system.ts';
import { switchTestMailsOn } from '../visitor.ts';

/** What was asked for and answered; the audit compares it with what is on record. */
export type Purchase = {
  readonly title: string;
  readonly method: 'B' | 'E';
  offerId?: number;
  paid: boolean;
  deleted: boolean;
  views: number;
  clicks: number;
};

export type Buyer = {
  readonly organisationId: number;
  readonly key: string;
  readonly adminEmail: string;
  readonly toppedUpMinor: bigint;
  readonly purchases: Purchase[];
};

const toppedUpMinor = 1_000_000_00n;

/** Each load has organisations of its own, so that loads do not share balances or quotas. */
export async function registerBuyer(system: Pick<System, 'callAdmin' | 'state'>): Promise<Buyer> {
  const { id, keys, adminEmail } = await provideOrganisation(system.callAdmin, {
    name: 'Rolling Stones Ltd',
    tradingName: 'Rolling Stones',
    country: 'GB',
    currency: 'GBP',
    adminEmail: `admin-${randomUUID()}@rolling.example`,
    acceptsTerms: true,
    balanceMinor: toppedUpMinor,
  });
  await switchTestMailsOn(system, adminEmail);
  return { organisationId: id, key: keys.TEST, adminEmail, toppedUpMinor, purchases: [] };
}
