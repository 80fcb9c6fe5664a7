/**
 * Trace ids and their W3C headers, without OpenTelemetry, so that they cost next to nothing.
 * Format: https://www.w3.org/TR/trace-context/
 */
import { randomFillSync } from 'node:crypto';

/** The place of some work in its trace. */
export type TraceIds = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether services with a collector record what follows from this work. */
  readonly isSampled: boolean;
  /** What other systems state about the trace (`tracestate`). */
  readonly state: string | undefined;
};

/** W3C trace context as text fields (`traceparent`, `tracestate`); empty when nothing is traced. */
export type RestingTrace = Readonly<Record<string, string>>;

/** Version `ff` is invalid, and so are ids of zeros. */
const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
/** Only later versions may have more fields. */
const lengthOfVersion00 = 55;

/**
 * The ids in these fields or headers, or null if there are none. `baggage` is not read: it may be any text, and it would be stored with
 * events and mails.
 */
export function traceIn(fields: Readonly<Record<string, unknown>>): TraceIds | null {
  const { traceparent } = fields;
  if (typeof traceparent !== 'string' || !wellFormed.test(traceparent)) return null;
  if (traceparent.startsWith('00') && traceparent.length !== lengthOfVersion00) return null;
  const flags = Number.parseInt(traceparent.slice(53, 55), 16);
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    isSampled: flags % 2 === 1,
    state: stateIn(fields['tracestate']),
  };
}

/** The format allows to drop anything longer. */
const longestState = 512;
const mostMembers = 32;
const member = /^[\t ]*[a-z0-9][a-z0-9_*/@-]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]+$/;

function stateIn(tracestate: unknown): string | undefined {
  if (typeof tracestate !== 'string' || tracestate.length > longestState) return undefined;
  const members = tracestate.split(',');
  const isValid = members.length <= mostMembers && members.every((each) => member.test(each));
  return isValid ? tracestate : undefined;
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceIds): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export function restingTraceOf(ids: TraceIds | undefined): RestingTrace {
  if (ids === undefined) return {};
  const { state } = ids;
  return { traceparent: traceparentOf(ids), ...(state !== undefined && { tracestate: state }) };
}

/** Of several ids, because a call of the system's generator takes as long as everything else about a hundred of them. */
const pool = Buffer.alloc(1_536);
let digits = '';
let usedDigits = 0;

function randomDigits(count: number): string {
  if (usedDigits + count > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    usedDigits = 0;
  }
  usedDigits += count;
  return digits.slice(usedDigits - count, usedDigits);
}

export const newTraceId = () => randomDigits(32);
export const newSpanId = () => randomDigits(16);
