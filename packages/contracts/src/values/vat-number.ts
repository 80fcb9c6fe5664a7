/**
 * VAT numbers, checked by their form alone: nobody is asked whether a number is registered. The forms are those of the European Commission's
 * list (VIES) and, for the United Kingdom, of HMRC.
 */
import { countryText } from './amount-text.ts';

type Form = {
  /** The usual one first. It is not always the country's code. */
  readonly prefixes: readonly [string, ...string[]];
  /** What follows the prefix. */
  readonly rest: RegExp;
  /** Prefix and rest, for people. */
  readonly words: string;
};

function form(prefix: string, words: string, rest: RegExp): Form {
  return { prefixes: [prefix], words: `${prefix}${words}`, rest };
}

const digits = (prefix: string, count: number) =>
  form(prefix, ` and ${count} digits`, new RegExp(`^\\d{${count}}$`));

/** By the country of the organisation. */
const forms: Readonly<Record<string, Form>> = {
  AT: form('AT', 'U and 8 digits', /^U\d{8}$/),
  BE: form('BE', ' and 10 digits, the first of which is 0 or 1', /^[01]\d{9}$/),
  BG: form('BG', ' and 9 or 10 digits', /^\d{9,10}$/),
  CY: form('CY', ', 8 digits and a letter', /^\d{8}[A-Z]$/),
  CZ: form('CZ', ' and 8 to 10 digits', /^\d{8,10}$/),
  DE: digits('DE', 9),
  DK: digits('DK', 8),
  EE: digits('EE', 9),
  ES: form(
    'ES',
    ' and 9 characters, of which the first or the last or both are letters and the others digits',
    /^([A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])$/,
  ),
  FI: digits('FI', 8),
  FR: form(
    'FR',
    ', 2 characters (digits, or letters other than I and O) and 9 digits',
    /^[A-HJ-NP-Z\d]{2}\d{9}$/,
  ),
  GB: {
    prefixes: ['GB', 'XI'],
    words: 'GB (or XI for Northern Ireland) and 9 or 12 digits, or GD or HA and 3 digits',
    rest: /^(\d{9}|\d{12}|GD[0-4]\d\d|HA[5-9]\d\d)$/,
  },
  GR: digits('EL', 9),
  HR: digits('HR', 11),
  HU: digits('HU', 8),
  IE: form(
    'IE',
    ', 7 digits and 1 or 2 letters; in old numbers the second digit may be a letter, + or *',
    /^(\d[A-Z\d+*]\d{5}[A-Z]|\d{7}[A-Z]{2})$/,
  ),
  IT: digits('IT', 11),
  LT: form('LT', ' and 9 or 12 digits', /^(\d{9}|\d{12})$/),
  LU: digits('LU', 8),
  LV: digits('LV', 11),
  MT: digits('MT', 8),
  NL: form('NL', ', 9 digits, B and 2 digits', /^\d{9}B\d\d$/),
  PL: digits('PL', 10),
  PT: digits('PT', 9),
  RO: form('RO', ' and 2 to 10 digits', /^\d{2,10}$/),
  SE: digits('SE', 12),
  SI: digits('SI', 8),
  SK: digits('SK', 10),
};

/** Elsewhere only the characters are checked: a tax number of any form. */
const elsewhere = {
  words: '4 to 20 letters and digits, with at least one digit',
  form: /^(?=.*\d)[A-Z\d]{4,20}$/,
};

/** What a VAT number of the country looks like, for hints and messages. */
export function vatNumberWords(country: string): string {
  return forms[country]?.words ?? elsewhere.words;
}

export type CheckedVatNumber =
  | { readonly ok: true; readonly value: string }
  /** The message follows the field's name. */
  | { readonly ok: false; readonly message: string };

/** `value`: with its prefix, in capitals, without blanks, dots, dashes and slashes. The prefix may be left out where the form is known. */
export function checkVatNumber(text: string, country: string): CheckedVatNumber {
  const typed = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s./\p{Pd}]/gu, '');
  const known = forms[country];
  if (known === undefined)
    return elsewhere.form.test(typed) ? { ok: true, value: typed } : wrongForm(country);
  const prefix = known.prefixes.find((each) => typed.startsWith(each));
  const rest = typed.slice(prefix?.length ?? 0);
  if (!known.rest.test(rest)) return wrongForm(country);
  if (country === 'GB' && !hasBritishCheckDigits(rest))
    return {
      ok: false,
      message: 'must be as on the VAT certificate: its check digits do not fit the other digits',
    };
  return { ok: true, value: `${prefix ?? known.prefixes[0]}${rest}` };
}

function wrongForm(country: string): CheckedVatNumber {
  return {
    ok: false,
    message: `must be a VAT number (${countryText(country)}): ${vatNumberWords(country)}`,
  };
}

/**
 * Digits 8 and 9 make the sum of the first seven, weighted by 8 to 2, a multiple of 97; in numbers given since 2010, the sum and 55 (HMRC,
 * "97" and "9755"). Numbers of departments (GD) and health authorities (HA) have none.
 */
function hasBritishCheckDigits(rest: string): boolean {
  if (!/^\d/.test(rest)) return true;
  const weighted = Array.from(rest.slice(0, 7)).reduce((sum, digit, at) => sum + Number(digit) * (8 - at), 0);
  const sum = weighted + Number(rest.slice(7, 9));
  return sum % 97 === 0 || (sum + 55) % 97 === 0;
}
