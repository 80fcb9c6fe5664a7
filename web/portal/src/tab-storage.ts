/** Storage of this tab: it survives a reload and is deleted with the tab. */

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

/** After sign-out: deletes everything that was shown or typed, because another person may use this tab next. */
export function leave(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Storage is not available: nothing was stored.
  }
  location.assign('/portal');
}
