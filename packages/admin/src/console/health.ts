/** The health of the system, from /readyz and /metrics of each service and the gateway's /status.json. */
import type { ConsoleHealth, ServiceHealth } from '@offer-ads/contracts/admin/console-api';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import type { Clock } from '@offer-ads/platform/process/clock';
import { z } from 'zod';
import { addressesOf, type ServiceSettings } from '../service-calls.ts';
import { attentionTo } from './attention.ts';
import { type Readings, readMetrics } from './service-metrics.ts';

/** After this time a service is shown as not answering, so that the page does not wait. */
const ANSWER_MS = 3_000;
/** Answers are cached this long, counted from the start of the check, so that many viewers do not cause more requests. */
const KEPT_MS = 2_000;

const readyReply = z.object({ problems: z.array(z.string()) });
const statusReply = z.object({
  overall: z.enum(['operational', 'degraded', 'down']),
  dependencies: z.array(
    z.object({ name: z.string(), state: z.enum(['up', 'down']), since: z.string(), responseMs: z.number() }),
  ),
});

export function createHealthReader(o: {
  settings: ServiceSettings;
  clock: Clock;
}): () => Promise<ConsoleHealth> {
  const addresses = addressesOf(o.settings);
  let latest: { readonly atMs: number; readonly health: Promise<ConsoleHealth> } | undefined;

  async function checkAll(): Promise<ConsoleHealth> {
    const [status, ...results] = await Promise.all([
      readStatus(addresses.gateway),
      ...serviceNames.map((name) => checkService(name, addresses[name])),
    ]);
    const of = (name: ServiceName) => results.find(({ health }) => health.name === name)?.told;
    const billing = of('billing');
    const facts = {
      checkedAt: o.clock.now().toISOString(),
      status,
      services: results.map(({ health }) => health),
      ledger: ledgerIn(billing),
      ratesMissing: of('pricing')?.value('pricing_rates_missing_fixings') ?? null,
      waitingForApproval: of('gateway')?.value('organisations_waiting_for_approval') ?? null,
      mails: mailsIn(of('notifier')),
      cardReversalsWaiting: billing ? sumOf(billing.values('card_reversals_waiting')) : null,
      booksWithCreditsOwed: billing
        ? billing.values('credits_owed_minor_units').filter((minor) => minor > 0).length
        : null,
      reviewsWaiting: of('offers')?.value('offers_waiting_for_review', { mode: 'LIVE' }) ?? null,
    };
    return { ...facts, attention: attentionTo(facts) };
  }

  return () => {
    const nowMs = o.clock.now().getTime();
    if (latest === undefined || nowMs - latest.atMs >= KEPT_MS) latest = { atMs: nowMs, health: checkAll() };
    return latest.health;
  };
}

async function checkService(
  name: ServiceName,
  address: string,
): Promise<{ health: ServiceHealth; told: Readings | undefined }> {
  const [ready, metrics] = await Promise.all([ask(`${address}/readyz`), ask(`${address}/metrics`)]);
  const told = metrics?.status === 200 ? readMetrics(metrics.text) : undefined;
  const value = (metric: string, labels?: Record<string, string>) => told?.value(metric, labels) ?? null;
  const connected = value('broker_connected');
  const queued = value('queue_messages', { queue: 'main' });
  return {
    told,
    health: {
      name,
      ready: ready?.status === 200,
      problems: problemsIn(ready),
      brokerConnected: connected === null ? null : connected === 1,
      queued: queued === null ? null : queued + (value('queue_messages', { queue: 'bulk' }) ?? 0),
      retrying: value('queue_messages', { queue: 'retry' }),
      parked: value('queue_messages', { queue: 'parked' }),
      outbox: value('outbox_events'),
      outboxOldestSeconds: value('outbox_oldest_event_age_seconds'),
      reports: told !== undefined,
    },
  };
}

function problemsIn(ready: Answer | undefined): readonly string[] {
  if (ready === undefined) return ['does not answer'];
  if (ready.status === 200) return [];
  const parsed = readyReply.safeParse(jsonIn(ready));
  return parsed.success && parsed.data.problems.length > 0
    ? parsed.data.problems
    : [`answered ${ready.status}`];
}

/** The HTTP status is 503 while something is down; the body is complete in both cases. */
async function readStatus(gateway: string): Promise<ConsoleHealth['status']> {
  const answer = await ask(`${gateway}/status.json`);
  return statusReply.safeParse(answer && jsonIn(answer)).data ?? null;
}

function ledgerIn(told: Readings | undefined): ConsoleHealth['ledger'] {
  const problems = told?.value('ledger_check_problems');
  const seconds = told?.value('ledger_check_timestamp_seconds');
  if (problems === undefined || seconds === undefined) return null;
  return { problems, checkedAt: seconds === 0 ? null : new Date(seconds * 1_000).toISOString() };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function mailsIn(told: Readings | undefined): ConsoleHealth['mails'] {
  if (told === undefined) return null;
  return {
    pending: told.value('notifier_unsent_notifications', { state: 'pending' }) ?? 0,
    waiting: told.value('notifier_unsent_notifications', { state: 'waiting' }) ?? 0,
    oldestSeconds: told.value('notifier_oldest_unsent_seconds') ?? 0,
    overdueSeconds: told.value('notifier_oldest_due_age_seconds') ?? 0,
    serverAway: told.value('notifier_mail_server_unavailable') === 1,
  };
}

type Answer = { readonly status: number; readonly text: string };

/** Undefined when the service does not answer. */
async function ask(url: string): Promise<Answer | undefined> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
    return { status: reply.status, text: await reply.text() };
  } catch {
    return undefined;
  }
}

function jsonIn({ text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
