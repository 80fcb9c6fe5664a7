/** What a partition answers to other processes of pricing. Served without Express, because every estimate asks every partition. */
import type { IncomingMessage } from 'node:http';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { audienceQuestion, includedQuestion } from '@offer-ads/contracts/internal/pricing-api';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute } from '@offer-ads/platform/http/request';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable, unauthorised } from '@offer-ads/platform/process/faults';
import type { Audience } from '../audience/audience-engine.ts';
import { partitionTokens } from '../audience/partition-token.ts';
import { countPath, includedPath } from '../audience/partitioned-audience.ts';
import type { Partition } from '../domain/members/partition.ts';
import { readJsonBody } from './json-body.ts';

/** 64 targets with every possible interest take half of it. */
const MAX_BODY_BYTES = 512 * 1024;
type Answer = { readonly status: number; readonly body: object };
const notAQuestion: Answer = { status: 400, body: { message: 'not a question to a partition' } };

export function partitionFastPath(o: {
  readonly partition: Partition;
  readonly audience: Pick<Audience, 'count' | 'waitsFor' | 'includesWritten'>;
  readonly secret: string;
  readonly clock: Clock;
}): FastPath {
  const tokens = partitionTokens(o);
  const answers = { [countPath]: answerCount, [includedPath]: answerIncluded };
  const isPath = (path: string | undefined): path is keyof typeof answers =>
    path !== undefined && Object.hasOwn(answers, path);

  async function answerCount(body: unknown): Promise<Answer> {
    const question = audienceQuestion.safeParse(body);
    if (!question.success) return notAQuestion;
    const { targets } = question.data;
    if (!isOurs(question.data)) return ofAnother();
    if (targets.length === 0) await requireCurrent();
    const counts = await Promise.all(targets.map((target) => o.audience.count(target)));
    return { status: 200, body: { counts } };
  }

  /** A question without targets asks whether the partition is complete and current. */
  async function requireCurrent(): Promise<void> {
    const missing = await o.audience.waitsFor();
    if (missing.length > 0) throw serviceUnavailable(`the partition waits for ${missing.join(', ')}`);
  }

  async function answerIncluded(body: unknown): Promise<Answer> {
    const question = includedQuestion.safeParse(body);
    if (!question.success) return notAQuestion;
    if (!isOurs(question.data)) return ofAnother();
    return { status: 200, body: { included: await o.audience.includesWritten() } };
  }

  const isOurs = ({ partition, of }: { partition: number; of: number }) =>
    partition === o.partition.number && of === o.partition.of;
  /** Other members would be counted twice or not at all. */
  const ofAnother = (): Answer => ({
    status: 409,
    body: { message: `this is partition ${o.partition.number} of ${o.partition.of}` },
  });

  function requireToken(req: IncomingMessage): void {
    const token = req.headers[callerContextHeader];
    if (typeof token !== 'string' || !tokens.isValid(token))
      throw unauthorised('a question to a partition without a valid token');
  }

  return (req) => {
    const path = req.url;
    if (req.method !== 'POST' || !isPath(path)) return null;
    nameRoute(req, path);
    return async (res) => {
      requireToken(req);
      const { status, body } = await answers[path](await readJsonBody(req, MAX_BODY_BYTES));
      sendJson(res, status, body);
    };
  };
}
