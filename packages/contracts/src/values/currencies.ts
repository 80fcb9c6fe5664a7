/**
 * The currency table of the system (decisions 14, card minimums, and 15, billed currencies): decimal places, minimum of a card payment,
 * and whether it can be billed. `Intl` cannot replace it: its decimal places differ from the card provider's.
 */

type Currency = {
  readonly code: string;
  /** Decimal places of the minor unit: 2 for pence, 0 for yen. */
  readonly digits: number;
  /** The card provider's published minimum in minor units; null if it is not in the list of decision 14, card minimums. */
  readonly cardMinimumMinor: bigint | null;
  /** The card provider's largest amount in minor units, if it is more than the usual eight digits. */
  readonly cardMaximumMinor?: bigint;
  /** Whether the European Central Bank publishes a reference rate. True for the euro: it is the base of those rates. */
  readonly ecbPublishes: boolean;
};

const currencies: readonly Currency[] = [
  { code: 'AED', digits: 2, cardMinimumMinor: 2_00n, ecbPublishes: false },
  { code: 'AUD', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'BRL', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'CAD', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'CHF', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'CNY', digits: 2, cardMinimumMinor: null, ecbPublishes: true },
  { code: 'CZK', digits: 2, cardMinimumMinor: 15_00n, ecbPublishes: true },
  { code: 'DKK', digits: 2, cardMinimumMinor: 2_50n, ecbPublishes: true },
  { code: 'EUR', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'GBP', digits: 2, cardMinimumMinor: 30n, ecbPublishes: true },
  { code: 'HKD', digits: 2, cardMinimumMinor: 4_00n, ecbPublishes: true },
  { code: 'HUF', digits: 2, cardMinimumMinor: 175_00n, ecbPublishes: true },
  { code: 'IDR', digits: 2, cardMinimumMinor: 50n, cardMaximumMinor: 999_999_999_999n, ecbPublishes: true },
  { code: 'ILS', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'INR', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'ISK', digits: 0, cardMinimumMinor: null, ecbPublishes: true },
  { code: 'JPY', digits: 0, cardMinimumMinor: null, ecbPublishes: true },
  { code: 'KRW', digits: 0, cardMinimumMinor: null, ecbPublishes: true },
  { code: 'MXN', digits: 2, cardMinimumMinor: 10_00n, ecbPublishes: true },
  { code: 'MYR', digits: 2, cardMinimumMinor: 2_00n, ecbPublishes: true },
  { code: 'NOK', digits: 2, cardMinimumMinor: 3_00n, ecbPublishes: true },
  { code: 'NZD', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'PHP', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'PLN', digits: 2, cardMinimumMinor: 2_00n, ecbPublishes: true },
  { code: 'RON', digits: 2, cardMinimumMinor: 2_00n, ecbPublishes: true },
  { code: 'SEK', digits: 2, cardMinimumMinor: 3_00n, ecbPublishes: true },
  { code: 'SGD', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'THB', digits: 2, cardMinimumMinor: 10_00n, ecbPublishes: true },
  { code: 'TRY', digits: 2, cardMinimumMinor: null, ecbPublishes: true },
  { code: 'USD', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
  { code: 'ZAR', digits: 2, cardMinimumMinor: 50n, ecbPublishes: true },
];

const byCode: ReadonlyMap<string, Currency> = new Map(currencies.map((entry) => [entry.code, entry]));

/** The smallest net price of a card payment in minor units; undefined if cards are not accepted. */
export function cardMinimumMinor(currency: string): bigint | undefined {
  return byCode.get(currency)?.cardMinimumMinor ?? undefined;
}

/** The card provider accepts eight digits, unless the table says more. */
const USUAL_CARD_MAXIMUM_MINOR = 99_999_999n;

/** The largest card payment with VAT, in minor units: 999,999.99. The Indonesian rupiah has twelve digits, because its value is so small. */
export function cardMaximumMinor(currency: string): bigint {
  return byCode.get(currency)?.cardMaximumMinor ?? USUAL_CARD_MAXIMUM_MINOR;
}

/**
 * Decision 15, billed currencies: two decimals, a rate from the European Central Bank and a card minimum. Everything
 * else is `E6`.
 */
export function isBilledCurrency(currency: string): boolean {
  const entry = byCode.get(currency);
  return entry !== undefined && entry.digits === 2 && entry.ecbPublishes && entry.cardMinimumMinor !== null;
}

export const billedCurrencies: readonly string[] = currencies
  .map(({ code }) => code)
  .filter((code) => isBilledCurrency(code));

/** Decimal places of an amount. A currency outside the table is never billed; its zero balance is shown with two. */
export function minorUnitDigits(currency: string): number {
  return byCode.get(currency)?.digits ?? 2;
}

/** 10000n GBP is "100.00", 100n JPY is "100". */
export function formatMinor(minor: bigint, currency: string): string {
  const digits = minorUnitDigits(currency);
  const sign = minor < 0n ? '-' : '';
  const figures = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  if (digits === 0) return sign + figures;
  return `${sign}${figures.slice(0, -digits)}.${figures.slice(-digits)}`;
}

/** The same as a number of the public API's JSON: exact up to 15 digits. */
export function amountInJson(minor: bigint, currency: string): number {
  return Number(formatMinor(minor, currency));
}

/** "100", "100.5" and "100.00" GBP are 10000n, 10050n and 10000n; undefined for anything that is not such an amount. */
export function parseAmount(text: string, currency: string): bigint | undefined {
  const digits = minorUnitDigits(currency);
  const match = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (fraction.length > digits) return undefined;
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  return sign === '-' ? -minor : minor;
}
