/** The text that a person is writing. It outlives a session that ends meanwhile, and the tab's end deletes it. */
export type Draft = {
  readonly version: string;
  readonly text: string;
  /** A day, `2026-12-01`, with whose beginning in UTC the version holds. Empty: at once. */
  readonly holdsFrom: string;
};

const DAYS_TO_ACCEPT = 14;

export function newDraft(text: string): Draft {
  const day = new Date(Date.now() + DAYS_TO_ACCEPT * 86_400_000);
  return { version: '', text, holdsFrom: day.toISOString().slice(0, 10) };
}

const key = 'terms-draft';

export function readDraft(): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '') as Draft;
    return [kept.version, kept.text, kept.holdsFrom].every((value) => typeof value === 'string')
      ? kept
      : null;
  } catch {
    return null;
  }
}

/** Null: there is no draft any longer. */
export function storeDraft(draft: Draft | null): void {
  if (draft === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(draft));
}
