/** Looks in several places in order, and records why each of them was skipped. */

export type Look<T> =
  | { readonly found: true; readonly value: T; readonly why: string }
  | { readonly found: false; readonly why: string };

export type Place<T> = { readonly name: string; readonly look: () => Promise<Look<T>> };

export type Skipped = { readonly name: string; readonly why: string };

export type Finding<T> =
  | {
      readonly found: true;
      readonly value: T;
      readonly place: string;
      readonly why: string;
      readonly skipped: readonly Skipped[];
    }
  | { readonly found: false; readonly skipped: readonly Skipped[] };

/** The first place that has it. Later places are not asked, because that may start a download. */
export async function firstFound<T>(places: readonly Place<T>[]): Promise<Finding<T>> {
  const skipped: Skipped[] = [];
  for (const place of places) {
    const look = await place.look();
    if (look.found) return { found: true, value: look.value, place: place.name, why: look.why, skipped };
    skipped.push({ name: place.name, why: look.why });
  }
  return { found: false, skipped };
}

export function found<T>(value: T, why: string): Look<T> {
  return { found: true, value, why };
}

export function notFound(why: string): Look<never> {
  return { found: false, why };
}

/** The error in one line, for use inside a sentence. Includes the cause, because "fetch failed" alone says little. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return firstLine(String(error));
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${firstLine(error.message)}: ${firstLine(error.cause.message)}`
    : firstLine(error.message);
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
