/** Commands for parked events, which a service could not handle, and for publishing events again. */
import { parkedReply, republishReply } from '@offer-ads/contracts/admin/events-api';
import { z } from 'zod';
import { type Command, command, isoTime, text } from '../command.ts';
import type { Owner, Tools } from '../tools.ts';

/** The gateway consumes no events. */
export const consumers = ['offers', 'billing', 'pricing', 'notifier'] as const satisfies readonly Owner[];

const publishers = ['gateway', 'offers', 'billing'] as const satisfies readonly Owner[];

const service = z
  .enum(consumers, `must be one of ${consumers.join(', ')}`)
  .describe(consumers.join('|'))
  .optional();
const ids = text
  .transform((list) => (list === 'all' ? ('all' as const) : list.split(',')))
  .describe('ID,ID...|all');

export const eventCommands: readonly Command[] = [
  command({
    name: 'events parked',
    summary: 'List events that could not be handled, with the reasons',
    options: { service },
    run: async (o, tools) => {
      const parked = await Promise.all(chosen(o.service).map((name) => parkedOf(name, tools)));
      return { parked: parked.flat() };
    },
  }),
  command({
    name: 'events replay',
    summary: 'Send parked events to their service again',
    options: { service, ids },
    run: async (o, tools) => ({ replayed: await dealWith('replay', o, tools) }),
  }),
  command({
    name: 'events drop',
    summary: 'Delete parked events for ever',
    options: { service, ids },
    run: async (o, tools) => ({ dropped: await dealWith('drop', o, tools) }),
  }),
  command({
    name: 'events republish',
    summary:
      'Publish events of the last 14 days again, with their original ids, after a restore or a loss in the broker',
    options: {
      service: z.enum(publishers, `must be one of ${publishers.join(', ')}`).describe(publishers.join('|')),
      from: isoTime,
      to: isoTime.optional(),
    },
    run: async ({ service, from, to }, tools) => ({
      republished: await republish(service, { from, to }, tools),
    }),
  }),
];

function chosen(name: (typeof consumers)[number] | undefined) {
  return name === undefined ? consumers : [name];
}

async function parkedOf(name: Owner, { call }: Tools) {
  const { parked } = parkedReply.parse(await call(name, 'GET /admin/parked', { query: { limit: 1000 } }));
  return parked.map((message) => Object.assign({ service: name }, message));
}

/** Returns the number of events; an event may be parked by several services. */
async function dealWith(
  action: 'replay' | 'drop',
  o: { service?: (typeof consumers)[number] | undefined; ids: 'all' | string[] },
  { call }: Tools,
): Promise<number> {
  const reply = z.union([
    z.object({ replayed: z.int() }).transform(({ replayed }) => replayed),
    z.object({ dropped: z.int() }).transform(({ dropped }) => dropped),
  ]);
  let total = 0;
  for (const name of chosen(o.service))
    total += reply.parse(await call(name, `POST /admin/parked/${action}`, { json: { ids: o.ids } }));
  return total;
}

/** Some thousands at a time. Events that are published after the first request are not included. */
async function republish(
  service: (typeof publishers)[number],
  period: { from: string; to: string | undefined },
  { call }: Tools,
): Promise<number> {
  let total = 0;
  let upTo: string | undefined;
  for (;;) {
    const json = { ...period, upTo };
    const done = republishReply.parse(await call(service, 'POST /admin/events/republish', { json }));
    if (done.republished === 0) return total;
    total += done.republished;
    upTo = done.upTo;
  }
}
