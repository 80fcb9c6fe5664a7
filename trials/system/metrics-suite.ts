/** /metrics of the services has exactly the metrics of docs/operations/metrics.md, also after hostile requests. */
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { isOfProcess, metricsOfTable } from '@offer-ads/deploy/monitoring/metrics-table';
import { type Scraped, scrapeAll } from '@offer-ads/deploy/monitoring/scrape';
import type { Addresses } from '@offer-ads/dev/start/plans';
import type { TestSystem } from '../harness/test-system.ts';

/** It exists only with Valkey. */
const mayBeMissing = new Set(['rate_limit_store_up']);
/** Of one metric in all six services, without the buckets of histograms. The hostile requests could create more. */
const maxSeries = 400;

const hostilePaths = [
  '/offers/4711/pause',
  '/offers/4712/pause',
  '/OFFERS/%2e%2e/admin/organisations/77',
  '/admin/organisations/4711/keys',
  '/Admin/Organisations/4712/Keys',
  '/portal/api/sessions/c0ffee',
  '/pay/not-a-token-of-anybody',
  '/images/../../etc/passwd',
  '/internal/offers/4711/resolve-charge',
  '/unsubscribe/1.2.three.four',
  '//evil.example/%00',
  '/%F0%9F%92%A9?key=pk_live_leaked',
];
const hostileMethods = ['GET', 'POST', 'DELETE', 'PROPFIND', 'M-SEARCH', 'REBIND', 'UNLOCK'];

export function describeMetrics(system: () => TestSystem): void {
  describe('metrics', () => {
    let told: readonly Scraped[] = [];

    beforeAll(async () => {
      const addresses = servicesOf(system().addresses);
      for (const address of Object.values(addresses))
        for (const path of hostilePaths)
          await Promise.all(hostileMethods.map((method) => send(address, method, path)));
      told = (await scrapeAll(servicesOf(system().addresses, 'Admin'))).filter(
        ({ name }) => !isOfProcess(name),
      );
    }, 120_000);

    it('are those of the table, told by the services that it names', () => {
      const facts = ({ name, type, help, services }: Omit<Scraped, 'series' | 'labels'>) => ({
        name,
        type,
        help,
        services: services.toSorted(),
      });
      const listed = metricsOfTable().filter(
        ({ name }) => !mayBeMissing.has(name) || told.some((each) => each.name === name),
      );
      expect(told.map(facts)).toEqual(listed.map(facts));
    });

    it('have no label that the table does not name', () => {
      const listed = new Map(metricsOfTable().map(({ name, labels }) => [name, labels]));
      for (const { name, labels } of told)
        expect([name, labels.filter((label) => !listed.get(name)?.includes(label))]).toEqual([name, []]);
    });

    it('have labels of few values, in which nothing is that a stranger sent', () => {
      for (const { name, series } of told) {
        const different = new Set(series.map((each) => JSON.stringify(each))).size;
        expect([name, different < maxSeries]).toEqual([name, true]);
        const values = new Set(series.flatMap((each) => Object.values(each)));
        expect([name, [...values].filter(isOfStrangers)]).toEqual([name, []]);
      }
    });

    it('know the methods of routes, and one word for all others', () => {
      const methods = told
        .filter(({ name }) => name === 'http_request_duration_seconds')
        .flatMap(({ series }) => series.map(({ method }) => method ?? ''));
      const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other']);
      expect([...new Set(methods)].filter((method) => !usual.has(method))).toEqual([]);
      expect(methods).toContain('other');
    });
  });
}

function servicesOf(addresses: Addresses, port: '' | 'Admin' = ''): Readonly<Record<ServiceName, string>> {
  const named = serviceNames.map((name) => [name, addresses[`${name}${port}`]]);
  return Object.fromEntries(named) as Record<ServiceName, string>;
}

/** Ids, encodings and words that only the hostile requests contain. */
function isOfStrangers(value: string): boolean {
  return /4711|4712|%|c0ffee|evil|passwd|leaked|\?|PROPFIND|REBIND/.test(value);
}

/** Sends the path unchanged; `fetch` would normalise it. */
function send(address: string, method: string, path: string): Promise<void> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const sent = request({ hostname, port, method, path, headers: { connection: 'close' } }, (reply) => {
      reply.resume().on('close', () => resolve());
    });
    // A closed connection counts as an answer.
    sent.on('error', () => resolve());
    sent.setTimeout(10_000, () => sent.destroy());
    sent.end();
  });
}
