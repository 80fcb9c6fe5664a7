/**
 * The attributes of CloudEvents 1.0, which each event has in its AMQP headers. Binding:
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/amqp-protocol-binding.md
 */
import { z } from 'zod';
import { anyInstant } from '../values/primitives.ts';

export const eventAttributes = z.object({
  specversion: z.literal('1.0'),
  id: z.uuid().meta({ description: 'Unique per event; consumers use it to ignore repeated deliveries.' }),
  source: z.string().min(1),
  type: z
    .string()
    .meta({ description: 'The name of the message, such as `offer-ads.community.OfferViewed.v1`.' }),
  time: anyInstant,
  subject: z.string().min(1).meta({ description: 'What the event is about, for example `offer/42`.' }),
  subjectversion: z.int().nonnegative().meta({ description: 'Grows with every change of the subject.' }),
});
export type EventAttributes = z.infer<typeof eventAttributes>;

/** The binding allows both; we write the first. */
export const headerPrefixes = ['cloudEvents_', 'cloudEvents:'] as const;

/** One attribute in the headers of a message, whichever prefix its sender uses; undefined if it is not there. */
export function attributeIn(
  headers: Readonly<Record<string, unknown>> | undefined,
  name: keyof EventAttributes,
): unknown {
  const [ours, other] = headerPrefixes;
  return headers?.[`${ours}${name}`] ?? headers?.[`${other}${name}`];
}

const names = eventAttributes.keyof().options;
/** The names of the headers, ready made because each event has all of them. */
const headerOf = Object.fromEntries(names.map((name) => [name, `${headerPrefixes[0]}${name}`])) as Record<
  keyof EventAttributes,
  string
>;

export function headersOf(attributes: EventAttributes): Record<string, string | number> {
  const headers: Record<string, string | number> = {};
  for (const name of names) headers[headerOf[name]] = attributes[name];
  return headers;
}
