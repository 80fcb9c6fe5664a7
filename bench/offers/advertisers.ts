/** Who creates: many organisations, so that neither a quota nor one balance's lock is what is measured. */
import { provideOrganisation } from '@offer-ads/dev/demo-data';
import { catalogue } from '@offer-ads/dev/demo-data/catalogue';
import { importDemoMembers } from '@offer-ads/dev/demo-data/members';
import type { System } from './system.ts';

const balanceMinor = 1_000_000_00n;

export type Population = {
  /** Each stays far below the 500 offers that an organisation may have: the quota's count is what it usually is. */
  readonly organisations: number;
  readonly members: number;
};

/** @returns a key of each organisation */
export async function provideAdvertisers({ admin }: System, o: Population): Promise<string[]> {
  await admin('OFFERS', 'PUT', '/admin/catalogue', catalogue);
  await importDemoMembers(admin, o.members);
  await admin('GATEWAY', 'POST', '/admin/terms', { version: 'bench', text: 'Be kind.' });
  const apiKeys: string[] = [];
  for (let index = 0; index < o.organisations; index += 1) {
    const { keys } = await provideOrganisation(admin, {
      name: `Bench ${index} Ltd`,
      tradingName: `Bench ${index}`,
      country: 'GB',
      currency: 'GBP',
      adminEmail: `admin-${index}@bench.example`,
      acceptsTerms: true,
      balanceMinor,
    });
    apiKeys.push(keys.TEST);
  }
  return apiKeys;
}
