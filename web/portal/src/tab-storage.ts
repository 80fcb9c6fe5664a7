/** Storage of this tab, which survives a reload and is deleted with the tab; and what the browser keeps until the sign-out. */

export function readTab(place: string): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Null deletes the entry. */
export function writeTab(place: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {
    // Storage is not available: the value lives as long as the page.
  }
}

/** The part of the address after `#`, by which the sign-in page says that the person is signed out. */
const SIGNED_OUT = '#signed-out';

/**
 * After sign-out: deletes everything but the theme and the language of samples, because another person may use this browser next. That person
 * must not begin in LIVE mode or at the place of an offer of somebody else.
 */
export function leave(): void {
  try {
    sessionStorage.clear();
    for (const key of Object.keys(localStorage))
      if (key !== 'theme' && key !== 'language') localStorage.removeItem(key);
  } catch {
    // Storage is not available: nothing was stored.
  }
  location.assign(`/portal${SIGNED_OUT}`);
}

export function hasJustSignedOut(): boolean {
  return location.hash === SIGNED_OUT;
}

const LAST_MODE = 'mode';

/** The last used mode in this browser; TEST at first. */
export function lastMode(): 'test' | 'live' {
  try {
    return localStorage.getItem(LAST_MODE) === 'live' ? 'live' : 'test';
  } catch {
    return 'test';
  }
}

export function rememberMode(mode: 'test' | 'live'): void {
  try {
    localStorage.setItem(LAST_MODE, mode);
  } catch {
    // Storage is not available: the portal always opens in TEST mode.
  }
}
