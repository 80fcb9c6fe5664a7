/** One partition as a process, with the generated members that belong to it. It answers as pricing's own partitions do. */
import { startHttpServer } from '@offer-ads/platform/http/server';
import { createFoundation } from '@offer-ads/platform/process/foundation';
import { startAudienceBuild } from '../../services/pricing/src/audience-index/audience-index.ts';
import { partitionOf } from '../../services/pricing/src/domain/members/partition.ts';
import { partitionFastPath } from '../../services/pricing/src/http/partition-fast-path.ts';
import { counts, everybody } from './members/population.ts';

const [size = 0, number = 0, of = 0, port = 0] = process.argv.slice(2).map(Number);
const secret = process.env.PRICING_CONTEXT_SECRET ?? '';
const foundation = createFoundation('pricing', 'warn', {});

const build = startAudienceBuild(Math.ceil(size / of));
let addingMs = 0;
for (const member of everybody(size)) {
  if (!counts(member) || partitionOf(member.memberId, of) !== number) continue;
  const beganAt = performance.now();
  build.add(member);
  addingMs += performance.now() - beganAt;
}
const beganAt = performance.now();
const index = await build.finish();
const buildSeconds = (addingMs + performance.now() - beganAt) / 1_000;

await startHttpServer({
  host: '127.0.0.1',
  port,
  ...foundation,
  readiness: async () => [],
  routes: (app) => void app.get('/built', (_req, res) => void res.json({ buildSeconds, ...index.size() })),
  fastPath: partitionFastPath({
    partition: { number, of },
    audience: {
      count: async (target) => index.count(target),
      waitsFor: async () => [],
      includesWritten: async () => true,
    },
    secret,
    clock: foundation.clock,
  }),
});
