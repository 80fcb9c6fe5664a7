/** The organisations of a development system, one for each billing situation. */

export type DemoOrganisation = {
  readonly id: number;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
  readonly adminEmail: string;
  readonly keys: { readonly TEST: string; readonly LIVE: string };
};

export type OrganisationPlan = {
  readonly name: string;
  readonly tradingName: string;
  readonly country: string;
  readonly currency: string;
  readonly adminEmail: string;
  readonly acceptsTerms: boolean;
  /** Balance of each mode at the start, in minor units. */
  readonly balanceMinor: bigint;
};

const tenThousand = 10_000_00n;

export const organisationPlans: readonly OrganisationPlan[] = [
  {
    name: 'Northwind Dining Ltd',
    tradingName: 'Northwind Dining',
    country: 'GB',
    currency: 'GBP',
    adminEmail: 'admin@northwind.example',
    acceptsTerms: true,
    balanceMinor: tenThousand,
  },
  {
    name: 'Harbor Street Coffee Inc',
    tradingName: 'Harbor Street Coffee',
    country: 'US',
    currency: 'USD',
    adminEmail: 'admin@harborstreet.example',
    acceptsTerms: true,
    balanceMinor: tenThousand,
  },
  {
    name: 'Kaffeehaus Lindner GmbH',
    tradingName: 'Kaffeehaus Lindner',
    country: 'DE',
    currency: 'EUR',
    adminEmail: 'admin@lindner.example',
    acceptsTerms: true,
    balanceMinor: tenThousand,
  },
  {
    // Yen cannot be billed: a creation gives E6, and estimates have no price.
    name: 'Sakura Travel KK',
    tradingName: 'Sakura Travel',
    country: 'JP',
    currency: 'JPY',
    adminEmail: 'admin@sakura.example',
    acceptsTerms: true,
    balanceMinor: 0n,
  },
  {
    // E9.
    name: 'Slow Signers Ltd',
    tradingName: 'Slow Signers',
    country: 'GB',
    currency: 'GBP',
    adminEmail: 'admin@slowsigners.example',
    acceptsTerms: false,
    balanceMinor: tenThousand,
  },
  {
    // E3.
    name: 'Empty Purse Ltd',
    tradingName: 'Empty Purse',
    country: 'GB',
    currency: 'GBP',
    adminEmail: 'admin@emptypurse.example',
    acceptsTerms: true,
    balanceMinor: 0n,
  },
];
