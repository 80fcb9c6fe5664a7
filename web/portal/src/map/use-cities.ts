/** Loads the list of towns when a page first needs it. */
import { useEffect, useState } from 'preact/hooks';
import { type Cities, readCities } from './cities.ts';

let loading: Promise<Cities> | undefined;

/** Null until it is loaded, and if that fails. */
export function useCities(): Cities | null {
  const [cities, setCities] = useState<Cities | null>(null);
  useEffect(() => {
    let left = false;
    load().then(
      (all) => !left && setCities(all),
      // Without names of towns, pages show coordinates.
      () => {
        loading = undefined;
      },
    );
    return () => {
      left = true;
    };
  }, []);
  return cities;
}

function load(): Promise<Cities> {
  loading ??= import('virtual:cities').then(({ default: lines }) => readCities(lines));
  return loading;
}
