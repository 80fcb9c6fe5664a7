/** Which keys the page lists: those of its mode and those without one, the ones that work first. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import type { Mode } from '../../session.ts';

export type KeyFilter = {
  readonly mode: Mode;
  /** In the name, the last four characters or the owner's address. */
  readonly text: string;
  /** Also those that work no longer. */
  readonly withPast: boolean;
};

export type ListedKeys = {
  readonly listed: readonly ApiKey[];
  /** Of this mode, whatever the filter says. */
  readonly inForce: number;
  readonly past: number;
  /** Refused whoever uses them; they belong to no mode, so both show them. */
  readonly withoutMode: number;
};

export function listKeys(keys: readonly ApiKey[], filter: KeyFilter): ListedKeys {
  const here = keys.filter(({ mode }) => mode === null || mode.toLowerCase() === filter.mode);
  const text = filter.text.trim().toLowerCase();
  const says = (key: ApiKey) =>
    [key.name, key.lastFour, key.createdBy.email].some((part) => part.toLowerCase().includes(text));
  return {
    listed: here.filter((key) => (filter.withPast || !isPast(key)) && says(key)),
    inForce: here.filter((key) => key.mode !== null && key.standing === 'in-force').length,
    past: here.filter(isPast).length,
    withoutMode: here.filter((key) => key.mode === null && !isPast(key)).length,
  };
}

/** A key whose person is disabled may work again, so it stays in sight. */
export function isPast({ standing }: ApiKey): boolean {
  return standing === 'disabled' || standing === 'expired';
}

/** Whether the server would roll it (decision 43, new and rolled keys). */
export function mayBeRolled({ standing, mode }: ApiKey): boolean {
  return standing === 'in-force' && mode !== null;
}

/** As it begins, what nobody is shown again, and how it ends. */
export function maskOf({ mode, lastFour }: Pick<ApiKey, 'mode' | 'lastFour'>): string {
  return `${mode === null ? '' : `pk_${mode.toLowerCase()}_`}…${lastFour}`;
}

/** A command that works when it is pasted into a shell. */
export function tryOut(origin: string, key: string): string {
  return `curl ${origin}/categories -H 'x-api-key: ${key}'`;
}
