/** Selects and sorts the listed keys: keys of the mode and keys without a mode, working ones first. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import type { Mode } from '../../portal.ts';

export type KeyFilter = {
  readonly mode: Mode;
  /** Searched in the name, the last four characters and the owner's address. */
  readonly text: string;
  /** Also list disabled and expired keys. */
  readonly withPast: boolean;
};

export type ListedKeys = {
  readonly listed: readonly ApiKey[];
  /** Active keys of this mode, independent of the filter. */
  readonly inForce: number;
  readonly past: number;
  /** Keys without a mode: the API refuses them, and the pages of both modes show them. */
  readonly withoutMode: number;
};

export function listKeys(keys: readonly ApiKey[], filter: KeyFilter): ListedKeys {
  const here = keys.filter(({ mode }) => mode === null || mode.toLowerCase() === filter.mode);
  const text = filter.text.trim().toLowerCase();
  const says = (key: ApiKey) =>
    [key.name, key.lastFour, key.createdBy.email].some((part) => part.toLowerCase().includes(text));
  return {
    listed: here.filter((key) => (filter.withPast || !isPast(key)) && says(key)),
    inForce: here.filter((key) => key.mode !== null && key.standing === 'works').length,
    past: here.filter(isPast).length,
    withoutMode: here.filter((key) => key.mode === null && !isPast(key)).length,
  };
}

/** A key of a disabled person may work again later, so it stays in the list. */
export function isPast({ standing }: ApiKey): boolean {
  return standing === 'disabled' || standing === 'expired';
}

/** Whether the server would roll it (decision 43, new and rolled keys). */
export function mayBeRolled({ standing, mode }: ApiKey): boolean {
  return standing === 'works' && mode !== null;
}

/** The beginning and end of a key, with dots for the secret part. */
export function maskOf({ mode, lastFour }: Pick<ApiKey, 'mode' | 'lastFour'>): string {
  return `${mode === null ? '' : `pk_${mode.toLowerCase()}_`}…${lastFour}`;
}

/** A command that works when it is pasted into a shell. */
export function tryOut(origin: string, key: string): string {
  return `curl ${origin}/categories -H 'x-api-key: ${key}'`;
}
