import { setFlagsFromString } from 'node:v8';
import { runService } from '@offer-ads/platform/process/process';
import { readOffersConfig } from './config.ts';
import { startOffers } from './service.ts';

// Creations leave buffers outside V8's heap. By default V8 collected everything after about twelve creations; with this, it waits until the
// heap with its buffers has doubled.
setFlagsFromString('--heap-growing-percent=100');

await runService('offers', () => startOffers(readOffersConfig()));
