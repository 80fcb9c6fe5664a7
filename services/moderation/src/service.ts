/** Composition root of moderation. */
import { requireCaller } from '@offer-ads/platform/calls/caller-context';
import type { HttpServer } from '@offer-ads/platform/http/server';
import { mongoAudit } from '@offer-ads/platform/mongo/audit-store';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { serve } from '@offer-ads/platform/process/serve';
import type { ModerationConfig } from './config.ts';
import { mountReviewRoutes } from './http/review-routes.ts';
import { mountRenditionRoute, mountVerdictRoutes } from './http/routes.ts';
import { type Model, openModel } from './model/nsfwjs-model.ts';
import { startDecoders } from './pictures/decoder.ts';
import { openCopiesStore, openPicturesStore } from './pictures/pictures-store.ts';
import { createAdmission, createPictureBudget, openProcessorTimeStore } from './verdicts/admission.ts';
import { judgePicture } from './verdicts/judge-picture.ts';
import { outcomeOfStored } from './verdicts/review.ts';
import { cacheRulings, openRulingsStore } from './verdicts/rulings-store.ts';
import { openVerdictsStore } from './verdicts/verdicts-store.ts';

export type ModerationOverrides = Pick<Overrides, 'clock' | 'logger'> & {
  /** The service disposes of it. */
  readonly model?: Model;
};

export async function startModeration(
  config: ModerationConfig,
  overrides: ModerationOverrides = {},
): Promise<RunningService & Pick<HttpServer, 'url' | 'adminUrl'>> {
  const foundation = createFoundation('moderation', config.LOG_LEVEL, overrides);
  const { clock, metrics } = foundation;
  await using started = new AsyncDisposableStack();

  const mongo = started.use(await openMongo({ url: config.MONGO_URL, ...foundation }));
  const [verdicts, pictures, copies, rulings, processorTime] = await Promise.all([
    openVerdictsStore(mongo),
    openPicturesStore(mongo),
    openCopiesStore(mongo),
    openRulingsStore(mongo),
    openProcessorTimeStore(mongo),
  ]);
  const cached = await cacheRulings(rulings);
  const model = started.use(overrides.model ?? (await openModel()));
  const decoders = started.use(await startDecoders({ ...foundation, slots: config.PICTURES_AT_ONCE }));
  const budget = createPictureBudget({
    ...foundation,
    maxMsPerHour: config.PICTURE_SECONDS_PER_HOUR * 1_000,
    store: processorTime,
  });
  const admission = createAdmission({ decoders: decoders.all, maxWaiting: config.MAX_WAITING, budget });
  const thresholds = { explicit: config.EXPLICIT_THRESHOLD, suggestive: config.SUGGESTIVE_THRESHOLD };
  const basis = { model: model.identity, thresholds };
  const shared = { admission, basis, verdicts, pictures, copies, clock };
  const moderation = { ...shared, model, rulings: cached };
  const review = { ...shared, rulings, cached };

  const durations = metrics.histogram({
    name: 'moderation_verdict_seconds',
    help: 'Time to a verdict, or to the answer that there is none, waiting included.',
    labelNames: ['verdict'],
    from0: { verdict: ['allowed', 'refused', 'unreadable', 'none'] },
  });
  const waiting = { name: 'moderation_pictures_waiting', help: 'Pictures that wait for a slot.' };
  metrics.readGauge(waiting, (gauge) => gauge.set(admission.waiting()));

  const server = await serve(started, {
    config,
    store: await mongoAudit(mongo),
    ...foundation,
    readiness: async () => [
      ...((await mongo.healthy()) ? [] : ['mongo does not answer']),
      ...(decoders.ready() ? [] : ['no process opens pictures']),
    ],
    routes: (app) => {
      const caller = requireCaller({
        secret: config.MODERATION_CONTEXT_SECRET,
        audience: 'moderation',
        clock,
      });
      mountRenditionRoute(app, { caller, admission });
      mountVerdictRoutes(app, {
        caller,
        outcomeOfStored: (cleanHash) => outcomeOfStored(review, cleanHash),
        judge: async (upload, signal) => {
          const stop = durations.startTimer();
          // Requests without a verdict are measured too; otherwise the slowest hour would look like one without pictures.
          let verdict: string = 'none';
          try {
            const reply = await judgePicture(moderation, upload, signal);
            verdict = reply.verdict;
            return reply;
          } finally {
            stop({ verdict });
          }
        },
      });
    },
    adminRoutes: (app, admin) => {
      mountReviewRoutes(app, { admin, review });
    },
  });
  const running = started.move();
  return { ...server, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
