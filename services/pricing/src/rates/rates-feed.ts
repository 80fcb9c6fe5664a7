/** Fetches the European Central Bank's daily reference rates over HTTP. Parsing is strict: doubtful rates are refused. */
import { currency } from '@offer-ads/contracts/values/primitives';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { parseRateE8, type ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { frankfurtDate, isFixingDay } from '../domain/rates/target-calendar.ts';

export type FeedRefusal = {
  readonly ok: false;
  readonly reason: 'unreachable' | 'malformed' | 'wrong-date';
  readonly problem: string;
};
export type FeedResult = { readonly ok: true; readonly rates: ReferenceRates } | FeedRefusal;

/** The document has 30 lines and 2 kB; a hundred times that is something else. */
const MAX_BYTES = 200_000;
/** Only an admin's request waits for the feed. */
const FETCH_TIMEOUT_MS = 10_000;

/** @param now the feed's date must not be after it */
export async function fetchRates(o: {
  url: string;
  now: Date;
  signal?: AbortSignal;
  timeoutMs?: number;
}): Promise<FeedResult> {
  const timeout = AbortSignal.timeout(o.timeoutMs ?? FETCH_TIMEOUT_MS);
  const signal = o.signal === undefined ? timeout : AbortSignal.any([timeout, o.signal]);
  try {
    const headers = { accept: 'application/xml, text/xml' };
    const response = await fetch(o.url, { signal, headers });
    if (!response.ok) {
      await response.body?.cancel();
      return failed('unreachable', `the feed answered ${response.status}`);
    }
    const xml = await boundedText(response);
    return xml === undefined
      ? failed('malformed', `the feed is longer than ${MAX_BYTES} bytes`)
      : parseRates(xml, o.now);
  } catch (error) {
    return failed('unreachable', `the feed cannot be reached: ${reasonOf(error)}`);
  }
}

const rateEntry = z.object({ currency, rate: z.string() });
const dayOfRates = z.object({ time: z.iso.date(), Cube: z.array(rateEntry).min(1).max(200) });
/** The document nests `Cube` in `Cube` in `Cube`: the collection, its one day, the currencies. */
const envelope = z.object({
  Envelope: z.object({ Cube: z.tuple([z.object({ Cube: z.tuple([dayOfRates]) })]) }),
});

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  removeNSPrefix: true,
  processEntities: false,
  isArray: (name) => name === 'Cube',
});

export function parseRates(xml: string, now: Date): FeedResult {
  const parsed = envelope.safeParse(parseXml(xml));
  if (!parsed.success)
    return failed('malformed', "the feed is not the central bank's document of one day's rates");
  const { time: date, Cube: entries } = parsed.data.Envelope.Cube[0].Cube[0];
  if (date > frankfurtDate(now))
    return failed('wrong-date', `the feed is dated ${date}, which is in the future`);
  if (!isFixingDay(date))
    return failed('wrong-date', `the feed is dated ${date}, on which there is no fixing`);

  const perEuroE8 = new Map<string, bigint>();
  for (const entry of entries) {
    const rateE8 = parseRateE8(entry.rate);
    if (rateE8 === undefined)
      return failed('malformed', `the rate of ${entry.currency} is not a positive decimal`);
    if (perEuroE8.has(entry.currency)) return failed('malformed', `${entry.currency} is in the feed twice`);
    perEuroE8.set(entry.currency, rateE8);
  }
  if (!perEuroE8.has('GBP'))
    return failed('malformed', 'the feed has no rate of GBP, by which every other is divided');
  return { ok: true, rates: { date, perEuroE8 } };
}

/** @returns undefined for invalid XML */
function parseXml(xml: string): unknown {
  try {
    return parser.parse(xml, true);
  } catch {
    return undefined;
  }
}

async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** fetch has the useful part of the error in `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function failed(reason: FeedRefusal['reason'], problem: string): FeedRefusal {
  return { ok: false, reason, problem };
}
