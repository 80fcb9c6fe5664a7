/** The list of towns, which comes when a page first needs it. */
import { useEffect, useState } from 'preact/hooks';
import { type Cities, readCities } from './cities.ts';

let loading: Promise<Cities> | undefined;

/** Null until it is there, and where it cannot be had. */
export function useCities(): Cities | null {
  const [cities, setCities] = useState<Cities | null>(null);
  useEffect(() => {
    let left = false;
    load().then(
      (all) => !left && setCities(all),
      // Names of towns are a help: coordinates stand in their place.
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
