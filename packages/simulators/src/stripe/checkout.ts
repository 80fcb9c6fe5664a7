/** Checkout Sessions: each is opened and then paid or expired once, which emits an event. */

import { cardMaximumMinor, cardMinimumMinor, formatMinor } from '@offer-ads/contracts/values/currencies';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Faults } from './faults.ts';
import type { Collection } from './journal.ts';
import {
  apiVersion,
  type CheckoutSession,
  type Event,
  newId,
  newSessionId,
  sessionTotals,
  statusAt,
  type TaxRate,
} from './objects.ts';
import type { SessionParameters } from './parameters.ts';
import { renderSession } from './rendering.ts';
import { invalid, notFound, type Reply } from './replies.ts';

/** Stripe: a session lives between 30 minutes and 24 hours, by default 24 hours. */
const shortestLifeSeconds = 30 * 60;
const longestLifeSeconds = 24 * 60 * 60;

export type Checkout = ReturnType<typeof createCheckout>;
type Refusable =
  | { readonly ok: true; readonly session: CheckoutSession }
  | { readonly ok: false; readonly reply: Reply };

export function createCheckout(o: {
  sessions: Collection<CheckoutSession>;
  taxRates: Collection<TaxRate>;
  clock: Clock;
  faults: () => Faults;
  pageUrl: (sessionId: string) => string;
  emit: (event: Event) => void;
}) {
  const nowSeconds = () => Math.floor(o.clock.now().getTime() / 1000);
  const render = (session: CheckoutSession, withLines = false) =>
    renderSession(session, { nowSeconds: nowSeconds(), pageUrl: o.pageUrl(session.id), withLines });

  function finish(session: CheckoutSession, outcome: CheckoutSession['outcome'], cause: Event['request']) {
    const finished = { ...session, outcome };
    o.sessions.put(finished);
    o.emit({
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: nowSeconds(),
      data: { object: render(finished) },
      livemode: finished.livemode,
      pending_webhooks: 1,
      request: cause,
      type: outcome.status === 'complete' ? 'checkout.session.completed' : 'checkout.session.expired',
    } as Event);
    return finished;
  }

  function complete(session: CheckoutSession): CheckoutSession {
    const payerEmail = session.customerEmail ?? 'payer@example.com';
    return finish(session, { status: 'complete', paymentIntent: newId('pi'), payerEmail }, null);
  }

  return {
    nowSeconds,
    render,

    /** A session of the key's mode. A key does not see objects of the other mode. */
    find(id: string, livemode: boolean): CheckoutSession | undefined {
      const session = o.sessions.get(id);
      return session?.livemode === livemode ? session : undefined;
    },

    open(asked: SessionParameters, livemode: boolean): Refusable {
      const now = nowSeconds();
      const expiresAt = asked.expires_at ?? now + longestLifeSeconds;
      const expiryProblem = checkExpiry(expiresAt, now);
      if (expiryProblem) return { ok: false, reply: expiryProblem };
      const rates = new Map<string, TaxRate>();
      for (const id of asked.line_items.flatMap((line) => line.tax_rates ?? [])) {
        const rate = o.taxRates.get(id);
        if (rate?.livemode !== livemode) {
          return { ok: false, reply: notFound('tax rate', id, 'line_items[0][tax_rates]') };
        }
        rates.set(id, rate);
      }
      const currency = asked.line_items[0]?.price_data.currency ?? '';
      if (asked.line_items.some((line) => line.price_data.currency !== currency)) {
        return {
          ok: false,
          reply: invalid('All line items must have the same currency.', { param: 'line_items' }),
        };
      }
      const session: CheckoutSession = {
        id: newSessionId(livemode),
        livemode,
        created: now,
        expiresAt,
        currency,
        lines: asked.line_items.map((line) => ({
          id: newId('li'),
          priceId: newId('price'),
          productId: newId('prod', 14),
          name: line.price_data.product_data.name,
          quantity: line.quantity,
          unitAmount: line.price_data.unit_amount,
          taxRates: (line.tax_rates ?? []).flatMap((id) => rates.get(id) ?? []),
        })),
        successUrl: asked.success_url,
        cancelUrl: asked.cancel_url ?? null,
        clientReferenceId: asked.client_reference_id ?? null,
        customerEmail: asked.customer_email ?? null,
        metadata: asked.metadata ?? {},
        outcome: { status: 'open' },
      };
      const outside = checkAmount(session, o.faults().failCreate === 'too_small');
      if (outside) return { ok: false, reply: outside };
      o.sessions.put(session);
      return { ok: true, session };
    },

    /** The action of the Pay button. Undefined when the session is not open. */
    pay(session: CheckoutSession): CheckoutSession | undefined {
      return statusAt(session, nowSeconds()) === 'open' ? complete(session) : undefined;
    },

    expire(session: CheckoutSession, cause: Event['request']): Refusable {
      const open = statusAt(session, nowSeconds()) === 'open';
      const latest = open && o.faults().failExpire === 'complete' ? complete(session) : session;
      const status = statusAt(latest, nowSeconds());
      if (status === 'open') return { ok: true, session: finish(latest, { status: 'expired' }, cause) };
      return {
        ok: false,
        reply: invalid(
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`,
        ),
      };
    },

    /** Emits the events of sessions whose time is over. Their status is expired already. */
    expireDue(): void {
      const now = nowSeconds();
      for (const session of o.sessions.all()) {
        if (session.outcome.status === 'open' && session.expiresAt <= now)
          finish(session, { status: 'expired' }, null);
      }
    },
  };
}

function checkExpiry(expiresAt: number, nowSeconds: number): Reply | undefined {
  const param = 'expires_at';
  if (expiresAt - nowSeconds < shortestLifeSeconds) {
    return invalid('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param,
    });
  }
  if (expiresAt - nowSeconds > longestLifeSeconds) {
    return invalid('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', {
      param,
    });
  }
  return undefined;
}

/** Stripe compares the whole amount that the card would be charged. */
function checkAmount(session: CheckoutSession, alwaysTooSmall: boolean): Reply | undefined {
  const currency = session.currency.toUpperCase();
  const total = BigInt(sessionTotals(session).total);
  const minimum = cardMinimumMinor(currency) ?? 0n;
  const maximum = cardMaximumMinor(currency);
  const amount = (minor: bigint) => `${formatMinor(minor, currency)} ${session.currency}`;
  if (alwaysTooSmall || total < minimum) {
    return invalid(`The Checkout Session's total amount due must add up to at least ${amount(minimum)}`, {
      code: 'amount_too_small',
    });
  }
  if (total <= maximum) return undefined;
  return invalid(`The Checkout Session's total amount due must be no more than ${amount(maximum)}.`, {
    code: 'amount_too_large',
  });
}
