/** From nothing to a key that works, as a developer and an admin of an advertiser go the way. */
import { expect, it } from '@jest/globals';
import { newOrganisation } from '@offer-ads/dev/test/advertiser';
import { describeInBrowser, faultsOf, type Portal } from './portal-under-test.ts';

export function describeOrganisation(portal: () => Portal): void {
  describeInBrowser('an organisation in the portal', () => {
    it('lets an admin in by the mailed link', async () => {
      const { adminEmail } = await newOrganisation(portal().system, { terms: false });
      const visitor = await portal().visitor();
      await visitor.signIn(adminEmail);
      expect(new URL(visitor.page.url()).pathname).toBe('/portal/test');
      expect(await faultsOf(visitor.page, 'home')).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    });
  });
}
