/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry/telemetry src/main.ts`. Without a collector it only gives
 * work its trace ids, and OpenTelemetry's SDK and instrumentations are not loaded.
 */
import { telemetryEndpoint } from '../config/config.ts';
import { startTracing } from './traces.ts';

if (telemetryEndpoint() === undefined || process.env.OTEL_SDK_DISABLED === 'true') startTracing();
else await (await import('./recording.ts')).startRecording(process.env);
