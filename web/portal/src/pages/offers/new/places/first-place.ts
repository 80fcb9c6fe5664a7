/** Where the circle is at first: where that of the organisation's latest offer was, otherwise at the largest town of its country. */
import lines from 'virtual:map-data/largest-towns';
import { readCities } from '@offer-ads/contracts/places/cities';
import type { Portal } from '../../../../portal.ts';
import { type Draft, emptyDraft, readTarget, type Target, targetOf } from '../draft.ts';

const london = { latitude: 51.5074, longitude: -0.1278, name: 'London' };

/**
 * The latest offer that was created in this browser. It is not read from the service, because the first price would wait for it.
 */
export function firstTarget({ scope, session }: Pick<Portal, 'scope' | 'session'>): Target {
  return readTarget(readBrowser(nameOf(scope))) ?? townOf(session.organisation.country);
}

export function rememberTarget(scope: Portal['scope'], draft: Draft): void {
  try {
    localStorage.setItem(nameOf(scope), JSON.stringify(targetOf(draft)));
  } catch {
    // Storage is not available: the next form begins at the largest town.
  }
}

function nameOf(scope: Portal['scope']): string {
  return `offer-target ${scope.join(' ')}`;
}

function readBrowser(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function townOf(country: string): Target {
  const { latitude, longitude, name } = readCities(lines).find((town) => town.country === country) ?? london;
  return { latitude, longitude, radiusMiles: emptyDraft.radiusMiles, label: name };
}
