/** Every drill, in an order in which none has to wait for long until the one before it is forgotten. */
import { audienceIndexLagging } from './alerts/audience-index-lagging.ts';
import { brokerDisconnected } from './alerts/broker-disconnected.ts';
import { callLogBacklog } from './alerts/call-log-backlog.ts';
import { callLogLost } from './alerts/call-log-lost.ts';
import { cardPaymentsWaiting } from './alerts/card-payments-waiting.ts';
import { circuitBreakerOpen } from './alerts/circuit-breaker-open.ts';
import { creditsOwed } from './alerts/credits-owed.ts';
import { databasePoolExhausted } from './alerts/database-pool-exhausted.ts';
import { estimateBudgetUsedUp } from './alerts/estimate-budget-used-up.ts';
import { imageStoreForeign } from './alerts/image-store-foreign.ts';
import { ledgerCheckMissing } from './alerts/ledger-check-missing.ts';
import { ledgerUnsound } from './alerts/ledger-unsound.ts';
import { loopFailing } from './alerts/loop-failing.ts';
import { mailServerUnreachable } from './alerts/mail-server-unreachable.ts';
import { mailsUnsent } from './alerts/mails-unsent.ts';
import { messagesParked } from './alerts/messages-parked.ts';
import { modelWorkerDying } from './alerts/model-worker-dying.ts';
import { moderationSlow } from './alerts/moderation-slow.ts';
import { outboxStuck } from './alerts/outbox-stuck.ts';
import { queueBacklog } from './alerts/queue-backlog.ts';
import { rateLimitStoreDown } from './alerts/rate-limit-store-down.ts';
import { ratesRefused } from './alerts/rates-refused.ts';
import { ratesStale } from './alerts/rates-stale.ts';
import { requestErrorsHigh } from './alerts/request-errors-high.ts';
import { requestsSlow } from './alerts/requests-slow.ts';
import { serviceDown } from './alerts/service-down.ts';
import { stripeEventsMissed } from './alerts/stripe-events-missed.ts';
import { webhookFailures } from './alerts/webhook-failures.ts';
import type { Drill } from './drill.ts';
import type { Faster } from './scale-rules.ts';

export const drills: readonly Drill[] = [
  cardPaymentsWaiting,
  creditsOwed,
  requestErrorsHigh,
  requestsSlow,
  serviceDown,
  circuitBreakerOpen,
  databasePoolExhausted,
  outboxStuck,
  queueBacklog,
  messagesParked,
  brokerDisconnected,
  rateLimitStoreDown,
  imageStoreForeign,
  loopFailing,
  webhookFailures,
  ledgerUnsound,
  ledgerCheckMissing,
  ratesStale,
  ratesRefused,
  estimateBudgetUsedUp,
  audienceIndexLagging,
  callLogBacklog,
  callLogLost,
  mailsUnsent,
  mailServerUnreachable,
  moderationSlow,
  modelWorkerDying,
  stripeEventsMissed,
];

/** Five minutes are ten seconds. */
const USUALLY: Faster = { ranges: 30, ages: 30 };

export function fasterOf(alert: string | undefined): Faster {
  return { ...USUALLY, ...drills.find((drill) => drill.alert === alert)?.faster };
}

/** The name of its page in docs/runbooks and of its file in alerts/. */
export function kebab(alert: string): string {
  return alert.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}
