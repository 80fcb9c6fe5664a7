/** Moderation as it is, but for the backend under its model. */
import { createFoundation } from '@offer-ads/platform/process/foundation';
import { runService } from '@offer-ads/platform/process/process';
import { readModerationConfig } from '../../services/moderation/src/config.ts';
import { startModel } from '../../services/moderation/src/model/model.ts';
import { startModelThread } from '../../services/moderation/src/model/model-thread.ts';
import { startModeration } from '../../services/moderation/src/service.ts';

const worker = new URL('./plain-worker.ts', import.meta.url);

await runService('moderation', async () => {
  const config = readModerationConfig();
  const { logger, metrics } = createFoundation('moderation', config.LOG_LEVEL, {});
  const model = await startModel({
    threads: config.MODEL_THREADS,
    logger,
    metrics,
    startThread: (read) => startModelThread(read, worker),
  });
  return startModeration(config, { model });
});
