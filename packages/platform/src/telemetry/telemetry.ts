/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry/telemetry src/main.ts`. Without a collector it only gives requests
 * trace ids. With one, the SDK is loaded, and hooks for the drivers of databases: these must be registered before any driver is imported.
 */
import { telemetryEndpoint } from '../config/config.ts';
import { startTracing } from './traces.ts';

if (telemetryEndpoint() === undefined) startTracing();
else {
  const { register } = await import('import-in-the-middle/register-hooks.mjs');
  // Only the drivers have hooks, so no other module needs to be wrapped.
  register({ include: ['pg', 'pg-pool', 'mongodb'] });
  const { startRecording } = await import('./recording.ts');
  // `services/offers/src/main.ts` is `offers`, unless OTEL_SERVICE_NAME says otherwise.
  const byPath = /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads';
  const serviceName = process.env.OTEL_SERVICE_NAME ? undefined : byPath;
  startTracing(startRecording({ serviceName, sampler: process.env.OTEL_TRACES_SAMPLER }));
}
