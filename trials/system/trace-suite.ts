/** Traces of the whole system, as the services' own exporters send them to a collector (docs/operations/tracing.md). */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, newOrganisation, type Organisation, offerForm } from '../harness/advertiser.ts';
import { payAsAPersonWould } from '../harness/simulators.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { switchTestMailsOn } from '../harness/visitor.ts';
import type { Collector, Span } from './collector.ts';
import { wayTo, wrongParents } from './trace-tree.ts';

/** Each service exports every 200 ms, and a busy machine may be slow. */
const withinAMinute = { timeoutMs: 60_000 };

export function describeTraces(system: () => TestSystem, collector: () => Collector): void {
  describe('a trace', () => {
    let organisation: Organisation;
    let sinceMs: number;
    const spans = () =>
      collector()
        .spans()
        .filter(({ startMs }) => startMs >= sinceMs);
    /** Waits for a trace that begins with this request, ends with a mail and contains all these paths. */
    const expectTrace = (service: string, request: string, ways: readonly (readonly string[])[]) =>
      eventually(() => {
        const begun = spans().filter(
          (span) => span.parentId === undefined && span.service === service && span.name === request,
        );
        const traces = begun.map(({ traceId }) => spans().filter((span) => span.traceId === traceId));
        const complete = traces.find(
          (trace) => trace.some(({ name }) => name === 'send mail') && wrongParents(trace).length === 0,
        );
        if (complete === undefined)
          throw new Error(`no whole trace from ${request} to a mail:\n${traces.map(described).join('\n')}`);
        expectWays(complete, ways);
      }, withinAMinute);

    beforeAll(async () => {
      organisation = await newOrganisation(system());
      await switchTestMailsOn(system(), organisation.adminEmail);
      // The clocks of services have whole milliseconds.
      sinceMs = Date.now() - 1;
    }, 180_000);

    it('of an offer that is paid from the balance goes from the gateway to every service and to the mail', async () => {
      const title = 'Traced from the balance';
      const reply = await advertiser(system(), organisation.key).create(await offerForm({ title }));
      expect(reply.body.return_code).toBe('S1');
      const toOffers = ['gateway SERVER POST /offers', 'gateway CLIENT POST', 'offers SERVER POST /offers'];
      await expectTrace('gateway', 'POST /offers', [
        [...toOffers, 'offers CLIENT POST', 'pricing SERVER POST /internal/price'],
        [...toOffers, 'offers CLIENT POST', 'moderation SERVER POST /internal/verdicts'],
        [...toOffers, 'offers CLIENT POST', 'billing SERVER POST /internal/charges'],
        [...toOffers, 'offers PRODUCER publish offer-ads', 'billing CONSUMER billing process'],
        [
          ...toOffers,
          'offers PRODUCER publish offer-ads',
          'notifier CONSUMER notifier process',
          'notifier CLIENT send mail',
        ],
      ]);
      // Spans of the drivers come from hooks, which a new version of a driver may not know.
      const stores = new Set(spans().map(({ store }) => store));
      expect([...stores]).toEqual(expect.arrayContaining(['postgresql', 'mongodb']));
    }, 180_000);

    it('of a card payment goes from the webhook by billing and offers to the mail', async () => {
      const form = await offerForm({ title: 'Traced by card', payment_method: 'E' });
      const reply = await advertiser(system(), organisation.key).create(form);
      expect(reply.body.return_code).toBe('S1');
      await payAsAPersonWould(reply.body.payment_url);
      await expectTrace('billing', 'POST /webhooks/stripe', [
        [
          'billing SERVER POST /webhooks/stripe',
          'billing PRODUCER publish offer-ads',
          'offers CONSUMER offers process',
          'offers PRODUCER publish offer-ads',
          'notifier CONSUMER notifier process',
          'notifier CLIENT send mail',
        ],
      ]);
    }, 180_000);

    it('tells nothing that opens a door, names a person or is an advertiser’s own', () => {
      const secrets = Object.values(system().secrets());
      const own = [organisation.key, organisation.adminEmail, 'Traced', 'Crown', 'cs_test_'];
      const passwords = [system().state().rabbitmq, ...Object.values(system().state().databases)].map(
        (address) => `:${new URL(address).password}@`,
      );
      // A route's pattern holds no id.
      for (const { sent, service, name } of spans()) {
        for (const word of [...secrets, ...own, ...passwords])
          if (sent.includes(word))
            throw new Error(`${service} ${name} holds ${JSON.stringify(word)}: ${sent}`);
        // Routes stand there as patterns, such as `/pay/:token`.
        expect(sent).not.toMatch(/\/offers\/\d|\/pay\/\w/);
      }
    });

    it('begins with a request or an event, never with what the services do again and again by themselves', () => {
      const begun = spans().filter(({ parentId }) => parentId === undefined);
      const kinds = new Set(begun.map(({ kind }) => kind));
      for (const kind of kinds) expect(['SERVER', 'PRODUCER', 'CONSUMER']).toContain(kind);
    });
  });
}

function expectWays(trace: readonly Span[], ways: readonly (readonly string[])[]): void {
  const there = new Set(trace.map((span) => wayTo(trace, span).join(' > ')));
  const missing = ways.map((way) => way.join(' > ')).filter((way) => !there.has(way));
  if (missing.length > 0) throw new Error(`not there:\n${missing.join('\n')}\n${described(trace)}`);
}

function described(trace: readonly Span[]): string {
  const ways = new Set(trace.map((span) => wayTo(trace, span).join(' > ')));
  return [...wrongParents(trace), ...[...ways].toSorted()].join('\n');
}
