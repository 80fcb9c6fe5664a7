/** Every drill, in an order in which none waits long for the alerts of the one before. */

import { brokerDisconnected } from './alerts/messages/broker-disconnected.ts';
import { mailServerUnreachable } from './alerts/messages/mail-server-unreachable.ts';
import { mailsUnsent } from './alerts/messages/mails-unsent.ts';
import { messagesParked } from './alerts/messages/messages-parked.ts';
import { outboxStuck } from './alerts/messages/outbox-stuck.ts';
import { queueBacklog } from './alerts/messages/queue-backlog.ts';
import { webhooksUnanswered } from './alerts/messages/webhooks-unanswered.ts';
import { webhooksUnsent } from './alerts/messages/webhooks-unsent.ts';
import { cardPaymentsWaiting } from './alerts/money/card-payments-waiting.ts';
import { creditsOwed } from './alerts/money/credits-owed.ts';
import { ledgerCheckMissing } from './alerts/money/ledger-check-missing.ts';
import { ledgerUnsound } from './alerts/money/ledger-unsound.ts';
import { stripeEventsMissed } from './alerts/money/stripe-events-missed.ts';
import { webhookFailures } from './alerts/money/webhook-failures.ts';
import { imageStoreForeign } from './alerts/pictures/image-store-foreign.ts';
import { moderationSlow } from './alerts/pictures/moderation-slow.ts';
import { pictureProcessDying } from './alerts/pictures/picture-process-dying.ts';
import { placementsRoomShort } from './alerts/placements/placements-room-short.ts';
import { audienceIndexLagging } from './alerts/prices/audience-index-lagging.ts';
import { membersLeftOut } from './alerts/prices/members-left-out.ts';
import { privacyBudgetUsedUp } from './alerts/prices/privacy-budget-used-up.ts';
import { ratesRefused } from './alerts/prices/rates-refused.ts';
import { ratesStale } from './alerts/prices/rates-stale.ts';
import { callLogLost } from './alerts/requests/call-log-lost.ts';
import { circuitBreakerOpen } from './alerts/requests/circuit-breaker-open.ts';
import { databasePoolExhausted } from './alerts/requests/database-pool-exhausted.ts';
import { emergencyTokenUsed } from './alerts/requests/emergency-token-used.ts';
import { loopFailing } from './alerts/requests/loop-failing.ts';
import { rateLimitStoreDown } from './alerts/requests/rate-limit-store-down.ts';
import { requestErrorsHigh } from './alerts/requests/request-errors-high.ts';
import { requestsSlow } from './alerts/requests/requests-slow.ts';
import { serviceDown } from './alerts/requests/service-down.ts';
import type { Drill } from './drill.ts';
import type { Faster } from './prometheus/scale-rules.ts';

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
  webhooksUnanswered,
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
  privacyBudgetUsedUp,
  emergencyTokenUsed,
  audienceIndexLagging,
  membersLeftOut,
  placementsRoomShort,
  callLogLost,
  mailsUnsent,
  webhooksUnsent,
  mailServerUnreachable,
  moderationSlow,
  pictureProcessDying,
  stripeEventsMissed,
];

/** Five minutes take ten seconds. */
const USUALLY: Faster = { ranges: 30, ages: 30 };

export function fasterOf(alert: string | undefined): Faster {
  return { ...USUALLY, ...drills.find((drill) => drill.alert === alert)?.faster };
}

/** The name of its page in docs/runbooks and of its file in alerts/. */
export function kebab(alert: string): string {
  return alert.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}
