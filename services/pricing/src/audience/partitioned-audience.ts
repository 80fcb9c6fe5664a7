/**
 * The audience counted by several processes, each of which holds one partition of the members. Every count asks all of them and adds up. If
 * one does not answer, there is no count, because a price must never be too low.
 */
import { randomUUID } from 'node:crypto';
import type { Target } from '@offer-ads/contracts/audience/target';
import { audienceCounts, audienceIncluded } from '@offer-ads/contracts/internal/pricing-api';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { createServiceClient } from '@offer-ads/platform/calls/service-client';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { z } from 'zod';
import type { Audience } from './audience-engine.ts';
import { partitionTokens } from './partition-token.ts';

/** Counting takes microseconds, so a partition that takes this long does not work. */
const COUNT_WITHIN_MS = 1_000;
/** What a partition counts in a few milliseconds, during which it does nothing else. */
const MAX_TARGETS_AT_ONCE = 64;
/** While so many messages are under way, targets gather for the next one. */
const MAX_UNDER_WAY = 4;
/** At 20,000 counts a second, these wait 50 ms. */
const MAX_WAITING = 1_000;
/** A partition answers after a minute at the latest (indexed-audience.ts). */
const INCLUDED_WITHIN_MS = 65_000;

export const countPath = '/internal/audience/count';
export const includedPath = '/internal/audience/includes-written';

type WaitingCount = {
  readonly target: Target;
  readonly resolve: (count: number) => void;
  readonly reject: (error: unknown) => void;
};

export type Partitions = {
  /** In the order of their numbers. Each may be the address of several processes with the same members. */
  readonly urls: readonly string[];
  /** Authenticates the calls to them. */
  readonly secret: string;
  readonly clock: Clock;
};

export function openPartitionedAudience(
  o: Partitions & { readonly logger: Logger; readonly metrics: Metrics },
): Audience {
  const of = o.urls.length;
  const tokens = partitionTokens(o);
  const clients = o.urls.map((baseUrl, number) =>
    createServiceClient({ ...o, name: `pricing-partition-${number}`, baseUrl, timeoutMs: COUNT_WITHIN_MS }),
  );
  /** In the order in which they came. */
  const waiting = new Set<WaitingCount>();
  let underWay = 0;
  let isSendingSoon = false;
  let haveAllCounted = false;

  function ask<S extends z.ZodType>(
    number: number,
    call: { readonly path: string; readonly json: object; readonly reply: S; readonly withinMs: number },
  ): Promise<z.infer<S>> {
    const client = clients[number];
    if (client === undefined) throw new RangeError(`there is no partition ${number}`);
    return client.call({
      ...call,
      json: { partition: number, of, ...call.json },
      method: 'POST',
      callerToken: tokens.issue(),
      requestId: randomUUID(),
      deadline: createDeadline(call.withinMs),
      timeoutMs: call.withinMs,
      retry: 'safe',
    });
  }

  /** @returns the counts of one partition, in the order of the targets */
  async function countsOf(number: number, targets: readonly Target[]): Promise<readonly number[]> {
    const question = { path: countPath, json: { targets }, reply: audienceCounts, withinMs: COUNT_WITHIN_MS };
    const { counts } = await ask(number, question);
    if (counts.length === targets.length) return counts;
    throw serviceUnavailable(
      `partition ${number} of ${of} gave ${counts.length} counts for ${targets.length} targets`,
    );
  }

  async function countTogether(batch: readonly WaitingCount[]): Promise<void> {
    const targets = batch.map(({ target }) => target);
    try {
      const counts = await Promise.all(clients.map((_, number) => countsOf(number, targets)));
      for (const [at, { resolve }] of batch.entries())
        resolve(counts.reduce((sum, ofPartition) => sum + (ofPartition[at] ?? Number.NaN), 0));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function countAndSendOn(batch: readonly WaitingCount[]): Promise<void> {
    await countTogether(batch);
    underWay -= 1;
    send();
  }

  function send(): void {
    isSendingSoon = false;
    while (underWay < MAX_UNDER_WAY && waiting.size > 0) {
      const batch = [...waiting.values().take(MAX_TARGETS_AT_ONCE)];
      for (const count of batch) waiting.delete(count);
      underWay += 1;
      void countAndSendOn(batch);
    }
  }

  /** At the end of this turn of the event loop, so that requests which were read together are sent together. */
  function sendSoon(): void {
    if (isSendingSoon) return;
    isSendingSoon = true;
    setImmediate(send);
  }

  return {
    count: (target, deadline) => {
      if (waiting.size >= MAX_WAITING)
        return Promise.reject(serviceUnavailable('too many counts wait for the partitions of the audience'));
      const withinMs = Math.min(COUNT_WITHIN_MS, deadline?.remainingMs() ?? COUNT_WITHIN_MS);
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const count = { target, resolve, reject };
      const timer = setTimeout(() => {
        waiting.delete(count);
        reject(serviceUnavailable('the partitions of the audience did not count in time'));
      }, withinMs);
      waiting.add(count);
      sendSoon();
      return promise.finally(() => clearTimeout(timer));
    },
    // Once all have counted, this process stays ready: without partitions it still serves the sandbox, imports and rates.
    waitsFor: async () => {
      if (haveAllCounted) return [];
      const asked = await Promise.allSettled(clients.map((_, number) => countsOf(number, [])));
      const missing = asked.flatMap(({ status }, number) =>
        status === 'fulfilled' ? [] : [`partition ${number} of ${of} of the audience to count`],
      );
      haveAllCounted ||= missing.length === 0;
      return missing;
    },
    includesWritten: async () => {
      const question = {
        path: includedPath,
        json: {},
        reply: audienceIncluded,
        withinMs: INCLUDED_WITHIN_MS,
      };
      const replies = await Promise.all(clients.map((_, number) => ask(number, question)));
      return replies.every(({ included }) => included);
    },
    check: null,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    },
  };
}
