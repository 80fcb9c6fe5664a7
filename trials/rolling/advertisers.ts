/** Organisations of a round, and what each of their journeys has left behind. */
import { randomUUID } from 'node:crypto';
import type { AdminClient } from '@offer-ads/dev/demo-data/admin-client';

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

export type Advertiser = {
  readonly organisationId: number;
  readonly key: string;
  readonly adminEmail: string;
  readonly toppedUpMinor: bigint;
  readonly purchases: Purchase[];
};

const currency = 'GBP';
const toppedUpMinor = 1_000_000_00n;

/** New for every round, so that rounds do not meet. Their people may have as many offers as a round makes. */
export async function registerAdvertiser(admin: AdminClient): Promise<Advertiser> {
  const adminEmail = `admin-${randomUUID()}@rolling.example`;
  const { id } = await admin<{ id: number }>('GATEWAY', 'POST', '/admin/organisations', {
    name: 'Rolling Stones Ltd',
    tradingName: 'Rolling Stones',
    country: 'GB',
    currency,
    adminEmail,
  });
  await admin('GATEWAY', 'POST', `/admin/organisations/${id}/accept-terms`, {});
  await admin('BILLING', 'POST', '/admin/balances/top-up', {
    organisationId: id,
    mode: 'TEST',
    currency,
    amountMinor: `${toppedUpMinor}`,
    reference: `rolling-${id}`,
  });
  const made = { organisationId: id, mode: 'TEST', name: 'Rolling' };
  const { key } = await admin<{ key: string }>('GATEWAY', 'POST', '/admin/keys', made);
  return { organisationId: id, key, adminEmail, toppedUpMinor, purchases: [] };
}
