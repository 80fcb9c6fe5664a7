/** The text that a person is writing. It outlives a session that ends meanwhile, and the tab's end deletes it. */
export type Draft = { readonly version: string; readonly text: string };

const key = 'terms-draft';

export function readDraft(): Draft | null {
  try {
    const { version, text } = JSON.parse(sessionStorage.getItem(key) ?? '') as Partial<Draft>;
    return typeof version === 'string' && typeof text === 'string' ? { version, text } : null;
  } catch {
    return null;
  }
}

/** Null: there is no draft any longer. */
export function storeDraft(draft: Draft | null): void {
  if (draft === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(draft));
}
