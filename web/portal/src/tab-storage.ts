/** What this tab remembers when the page is loaded anew, and nobody else ever sees; gone with the tab. */

export function readTab(place: string): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Null forgets it. */
export function writeTab(place: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {
    // Storage is forbidden here: it lives as long as the page.
  }
}

/** All of it, before somebody else may sit here. */
export function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Storage is forbidden here: nothing was kept.
  }
}
