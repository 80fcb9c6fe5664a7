/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry/telemetry src/main.ts`. Without a collector it only gives requests
 * trace ids. With one, spans are recorded too, in a thread of its own.
 */
import { telemetryEndpoint } from '../config/config.ts';
import { startTracing } from './traces.ts';

if (telemetryEndpoint() === undefined || process.env.OTEL_SDK_DISABLED === 'true') startTracing();
else {
  const [{ startRecording }, { samplerOf }] = await Promise.all([
    import('./recording.ts'),
    import('./sampling.ts'),
  ]);
  // `services/offers/src/main.ts` is `offers`, unless OTEL_SERVICE_NAME says otherwise.
  const byPath = /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads';
  const serviceName = process.env.OTEL_SERVICE_NAME ? undefined : byPath;
  startTracing(startRecording({ serviceName, samples: samplerOf(process.env) }));
}
