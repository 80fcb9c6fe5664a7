/** Where the services of the system are that `npm start` runs. */
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { readAdminSettings } from '@offer-ads/dev/start/state';

export function runningServices(): Readonly<Record<ServiceName, string>> {
  const settings = readAdminSettings();
  if (settings === undefined) throw new Error('no system is running: npm start');
  return Object.fromEntries(
    serviceNames.map((name) => [name, settings[`${name.toUpperCase()}_ADMIN_URL`] ?? '']),
  ) as Record<ServiceName, string>;
}
