/** Names of countries and currencies. */
import { lazily } from '@offer-ads/contracts/values/lazily';

const countries = lazily(() => new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'code' }));
const currencies = lazily(() => new Intl.DisplayNames('en-GB', { type: 'currency', fallback: 'code' }));

export function countryName(code: string): string {
  return countries().of(code) ?? code;
}

/** "British Pound (GBP)" */
export function currencyName(code: string): string {
  const name = currencies().of(code) ?? code;
  return name === code ? code : `${name} (${code})`;
}

/** Codes with their names, sorted by name. */
export function byName(
  codes: readonly string[],
  nameOf: (code: string) => string,
): readonly { readonly code: string; readonly name: string }[] {
  return codes
    .map((code) => ({ code, name: nameOf(code) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** For names of files: "Café Ω" is "cafe". */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'organisation' : slug;
}

const euroCountries = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK';

/** By the code of its country, with which all codes of ISO 4217 begin but the euro's. Undefined: none of these currencies. */
export function currencyOfCountry(country: string, currencies: readonly string[]): string | undefined {
  if (country === '') return undefined;
  const wanted = euroCountries.split(' ').includes(country) ? 'EU' : country;
  return currencies.find((code) => code.startsWith(wanted));
}
