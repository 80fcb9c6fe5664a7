/** Looks in several places, in order, and remembers why each was passed over. */

export type Look<T> =
  | { readonly found: true; readonly value: T; readonly why: string }
  | { readonly found: false; readonly why: string };

export type Place<T> = { readonly name: string; readonly look: () => Promise<Look<T>> };

export type PassedOver = { readonly name: string; readonly why: string };

export type Finding<T> =
  | {
      readonly found: true;
      readonly value: T;
      readonly place: string;
      readonly why: string;
      readonly passedOver: readonly PassedOver[];
    }
  | { readonly found: false; readonly passedOver: readonly PassedOver[] };

/** The first place that has it; later places are not even looked at, because looking may download. */
export async function firstFound<T>(places: readonly Place<T>[]): Promise<Finding<T>> {
  const passedOver: PassedOver[] = [];
  for (const place of places) {
    const look = await place.look();
    if (look.found) return { found: true, value: look.value, place: place.name, why: look.why, passedOver };
    passedOver.push({ name: place.name, why: look.why });
  }
  return { found: false, passedOver };
}

export function found<T>(value: T, why: string): Look<T> {
  return { found: true, value, why };
}

export function notFound(why: string): Look<never> {
  return { found: false, why };
}

/** What went wrong in one line, for use inside a sentence; the cause says more than "fetch failed" does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return firstLine(String(error));
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${firstLine(error.message)}: ${firstLine(error.cause.message)}`
    : firstLine(error.message);
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
