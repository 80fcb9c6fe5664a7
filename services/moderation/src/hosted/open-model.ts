/** Which model judges is a setting. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { type Model, startModel } from '../model/model.ts';
import { createHostedModel } from './hosted-model.ts';
import type { HostedService } from './hosted-service.ts';
import { rekognition } from './rekognition.ts';
import { safeSearch } from './safe-search.ts';
import { sightengine } from './sightengine.ts';

export type ModelSettings =
  | { readonly kind: 'nsfwjs'; readonly threads: number }
  | ({ readonly kind: 'rekognition' } & Parameters<typeof rekognition>[0])
  | ({ readonly kind: 'safesearch' } & Parameters<typeof safeSearch>[0])
  | ({ readonly kind: 'sightengine' } & Parameters<typeof sightengine>[0]);

export async function openModel(
  settings: ModelSettings,
  o: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<Model> {
  if (settings.kind === 'nsfwjs') return startModel({ threads: settings.threads, ...o });
  return createHostedModel({ service: hostedService(settings), ...o });
}

function hostedService(settings: Exclude<ModelSettings, { kind: 'nsfwjs' }>): HostedService {
  switch (settings.kind) {
    case 'rekognition':
      return rekognition(settings);
    case 'safesearch':
      return safeSearch(settings);
    case 'sightengine':
      return sightengine(settings);
  }
}
