/** Who creates: many organisations, so that neither a quota nor one balance's lock is what is measured. */
import { provideOrganisation } from '@offer-ads/dev/demo-data';
import { catalogue } from '@offer-ads/dev/demo-data/catalogue';
import { importDemoMembers } from '@offer-ads/dev/demo-data/members';
import type { System } from './system.ts';

/** Each stays far below the 500 offers that an organisation may have: the quota's count is what it usually is. */
const organisations = 128;
const balanceMinor = 1_000_000_00n;

export type BenchAdvertiser = { readonly organisationId: number; readonly key: string };

/** @returns a key of each */
export async function provideAdvertisers(system: System): Promise<string[]> {
  return (await provideOrganisations(system, organisations)).map(({ key }) => key);
}

async function provideOrganisations({ admin }: System, count: number): Promise<BenchAdvertiser[]> {
  await admin('OFFERS', 'PUT', '/admin/catalogue', catalogue);
  await importDemoMembers(admin);
  await admin('GATEWAY', 'POST', '/admin/terms', { version: 'bench', text: 'Be kind.' });
  const advertisers: BenchAdvertiser[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id, keys } = await provideOrganisation(admin, {
      name: `Bench ${index} Ltd`,
      tradingName: `Bench ${index}`,
      country: 'GB',
      currency: 'GBP',
      adminEmail: `admin-${index}@bench.example`,
      acceptsTerms: true,
      balanceMinor,
    });
    advertisers.push({ organisationId: id, key: keys.TEST });
  }
  return advertisers;
}
