/** What several letters share: how amounts and times are written, and texts. English words, with the number and time formats of the organisation's country. */

import { amountText, directionMarks, localeOf } from '@offer-ads/contracts/values/amount-text';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Contact } from '../contact.ts';
import { clockOf } from '../delivery/country-clock.ts';
import type { Letter } from './letter.ts';
import { foreign } from './plain-text.ts';

export type Wording = {
  /** `1,234`, or `1.234` in Germany. */
  readonly count: (number: number) => string;
  /**
   * `GBP 1,234.50`, or `1.234,50 EUR` in Germany; the same text as on invoices (decision 64, language of documents).
   */
  readonly money: (minor: string | bigint, currency: string) => string;
  /** `1 June 2026 at 13:00 (UTC+1)`; the zone is always included. */
  readonly dateTime: (instant: string) => string;
};

/** For an unknown organisation: the default formats, in UTC. */
export function wordingFor(country: string | undefined): Wording {
  const clock = clockOf(country);
  const counts = new Intl.NumberFormat(localeOf(country ?? 'GB'), { numberingSystem: 'latn' });
  return {
    count: (number) => counts.format(number).replace(directionMarks, ''),
    money: (minor, currency) => amountText(BigInt(minor), currency, country ?? 'GB'),
    dateTime: (instant) => clock(new Date(instant)),
  };
}

/** The data for a letter to people of an organisation, besides its event. */
export type Setting = Wording & {
  readonly contact: Contact;
  readonly portalUrl: string;
  /** The time in the event. */
  readonly happenedAt: string;
};

/** Its reason is that of an admin, unless it has another one. */
export type LetterToAdmins = Omit<Letter, 'reason'> & Partial<Pick<Letter, 'reason'>>;

export function asAdmin({ contact }: Setting): string {
  return `You receive this message as an admin of ${foreign(contact.tradingName)}.`;
}

/** TEST and LIVE are separate, and a reader must see at once in which mode this happened. */
export function inMode(mode: Mode, subject: string): Pick<Letter, 'subject' | 'notice'> {
  return mode === 'TEST'
    ? { subject: `[TEST] ${subject}`, notice: 'TEST mode: no real money is involved.' }
    : { subject };
}

/** The pages of the portal are apart for each mode. */
export function pageAction(
  o: { label: string; mode: Mode; page: string },
  { portalUrl }: Setting,
): Required<Letter>['action'] {
  return { label: o.label, url: `${portalUrl}/${o.mode.toLowerCase()}/${o.page}` };
}
