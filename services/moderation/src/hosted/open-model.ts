/** Opens the configured model. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { Model } from '../model/model.ts';
import { openNsfwjsModel } from '../model/nsfwjs-model.ts';
import { createHostedModel } from './hosted-model.ts';
import { rekognition } from './rekognition.ts';

export type ModelSettings =
  | { readonly kind: 'nsfwjs' }
  | ({ readonly kind: 'rekognition' } & Parameters<typeof rekognition>[0]);

export async function openModel(
  settings: ModelSettings,
  o: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<Model> {
  if (settings.kind === 'nsfwjs') return openNsfwjsModel(o);
  return createHostedModel({ service: rekognition(settings), ...o });
}
