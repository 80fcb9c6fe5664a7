/** Who creates: many organisations, so that neither a quota nor one balance's lock is what is measured. */
import { catalogue } from '@offer-ads/dev/demo-data/catalogue';
import type { System } from './system.ts';

/** Each stays far below the 500 offers that an organisation may have: the quota's count is what it usually is. */
const organisations = 64;
const members = { count: 50_000, seed: 1 };
const balanceMinor = 1_000_000_00n;

export type BenchAdvertiser = { readonly organisationId: number; readonly key: string };

/** @returns a key of each */
export async function provideAdvertisers(system: System): Promise<string[]> {
  return (await provideOrganisations(system, organisations)).map(({ key }) => key);
}

/** One balance for all of its clients, and no quota that they could reach. */
export async function provideOneAdvertiser(system: System): Promise<BenchAdvertiser> {
  const [advertiser] = await provideOrganisations(system, 1);
  if (advertiser === undefined) throw new Error('no organisation');
  await system.admin('GATEWAY', 'POST', `/admin/organisations/${advertiser.organisationId}/quota`, {
    mode: 'TEST',
    perPerson: 1_000_000,
    perOrganisation: 1_000_000,
    reason: 'bench',
  });
  return advertiser;
}

async function provideOrganisations({ admin }: System, count: number): Promise<BenchAdvertiser[]> {
  await admin('OFFERS', 'PUT', '/admin/catalogue', catalogue);
  await admin('PRICING', 'POST', '/admin/members/generate', members);
  await admin('GATEWAY', 'POST', '/admin/terms', { version: 'bench' });
  const advertisers: BenchAdvertiser[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await admin<{ id: number }>('GATEWAY', 'POST', '/admin/organisations', {
      name: `Bench ${index} Ltd`,
      tradingName: `Bench ${index}`,
      country: 'GB',
      currency: 'GBP',
      adminEmail: `admin-${index}@bench.example`,
    });
    await admin('GATEWAY', 'POST', `/admin/organisations/${id}/accept-terms`, {});
    await admin('BILLING', 'POST', '/admin/balances/top-up', {
      organisationId: id,
      mode: 'TEST',
      currency: 'GBP',
      amountMinor: `${balanceMinor}`,
      reference: `bench-${id}`,
    });
    const key = { organisationId: id, mode: 'TEST', name: 'Bench' };
    const created = await admin<{ key: string }>('GATEWAY', 'POST', '/admin/keys', key);
    advertisers.push({ organisationId: id, key: created.key });
  }
  return advertisers;
}
