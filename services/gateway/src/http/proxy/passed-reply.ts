/** A service's reply to the caller: a short one is sent in one piece, a long one as a stream. */

import type { ServerResponse } from 'node:http';
import { requestIdHeader, storeTimeHeader } from '@offer-ads/contracts/internal/caller-context';
import { sendHead, setHeader } from '@offer-ads/platform/http/replies';
import type { StoreClock } from '@offer-ads/platform/postgres/store-clock';
import type { Dispatcher } from 'undici';
import { CallerGone, NoConnectionFree } from '../../upstream.ts';
import { noteReturnCode } from './record-calls.ts';

/**
 * A reply up to this size is sent when it is complete: in one write, and if it breaks off before that, the caller gets a 503. Only listings
 * are longer.
 */
const maxBytesHeld = 16 * 1024;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One object per request, because it is faster than several closures. */
export class PassedReply implements Dispatcher.DispatchHandler {
  readonly #ended: (error: Error | undefined) => void;
  readonly #res: ServerResponse;
  readonly #withoutBody: boolean;
  readonly #storeClock: StoreClock;
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  /** How long the caller has delayed the reply, and since when it does so now. */
  #heldUpMs = 0;
  #heldUpSinceMs: number | undefined;
  #isComplete = false;
  #isSettled = false;
  #status = 0;
  #headers: Headers = {};
  /** The received part of a reply that is sent in one piece; undefined for a streamed reply. */
  #held: Buffer[] | undefined;

  /** @param o.ended called once: with nothing when the whole reply was passed on, else with the reason why there is none */
  constructor(
    res: ServerResponse,
    o: { withoutBody: boolean; storeClock: StoreClock; ended: (error: Error | undefined) => void },
  ) {
    this.#res = res;
    this.#storeClock = o.storeClock;
    this.#withoutBody = o.withoutBody;
    this.#ended = o.ended;
  }

  #settle(error: Error | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#ended(error);
  }

  hasBegun(): boolean {
    return this.#controller !== undefined;
  }

  /** The connection closed. Does nothing if the whole reply was sent. */
  callerLeft(): void {
    if (!this.#isComplete) this.#giveUp(new CallerGone('the connection closed'));
  }

  /** Disconnects a caller that reads too slowly. Half a reply cannot be taken back, so the connection ends. */
  cutOffCaller(): void {
    this.#res.destroy();
    this.callerLeft();
  }

  /** The service's time is over. */
  serviceTooSlow(problem: string): void {
    this.#giveUp(!this.hasBegun() ? new NoConnectionFree(problem) : new Error(problem));
  }

  /** Aborts the request to the service at any point. */
  #giveUp(reason: Error): void {
    this.#givenUp ??= reason;
    this.#controller?.abort(reason);
    this.#settle(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 1xx: the final response follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const shownMs = Number(headers[storeTimeHeader]);
    if (shownMs > 0) this.#storeClock.note(shownMs);
    const length = Number(headers['content-length']);
    if (length <= maxBytesHeld || this.#withoutBody || status === 204 || status === 304) {
      this.#held = [];
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#res.writableEnded) return this.callerLeft();
    if (this.#held !== undefined) {
      this.#held.push(chunk);
      return;
    }
    if (!this.#res.headersSent) this.#sendHead(chunk);
    if (!this.#res.write(chunk)) {
      controller.pause();
      this.#heldUpSinceMs = performance.now();
      this.#res.once('drain', () => {
        this.#heldUpMs = this.heldUpMs();
        this.#heldUpSinceMs = undefined;
        controller.resume();
      });
    }
  }

  /** How much longer the service's time runs because the caller read nothing. */
  heldUpMs(): number {
    const sinceMs = this.#heldUpSinceMs;
    return this.#heldUpMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  }

  onResponseEnd(): void {
    // The platform has answered for a broken request body meanwhile, and a second end would be an error.
    if (this.#res.writableEnded) return this.callerLeft();
    const held = this.#held;
    if (!this.#res.headersSent) this.#sendHead(held?.[0]);
    if (held === undefined || held.length === 0) this.#res.end();
    // As a latin1 string of the same bytes: Node sends it together with the head in one write instead of two.
    else this.#res.end(held.map((chunk) => chunk.toString('latin1')).join(''), 'latin1');
    this.#isComplete = true;
    this.#settle(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(this.#givenUp ?? error);
  }

  #sendHead(start: Buffer | undefined): void {
    const res = this.#res;
    const code = start === undefined ? undefined : returnCodeIn(start);
    if (code !== undefined) noteReturnCode(res, code);
    const named = namesIn(this.#headers.connection);
    for (const name in this.#headers) {
      const value = this.#headers[name];
      if (value === undefined || notPassedBack.has(name) || named?.includes(name) === true) continue;
      setHeader(res, name, value);
    }
    sendHead(res, this.#status);
  }
}

/** Headers of the connection and not of the reply (RFC 9110, 7.6.1), and those that the gateway sets itself. */
const notPassedBack = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  requestIdHeader,
  storeTimeHeader,
]);

/** Further headers of the connection, named by `Connection`. */
function namesIn(connection: string | string[] | undefined): readonly string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

const returnCodeField = Buffer.from('"return_code":"');
const longestReturnCode = 4;

/**
 * Searched for and not parsed: replies with a return code have it at or near their start. Inside a text the quotes would be escaped, so an
 * advertiser's text cannot match.
 */
function returnCodeIn(start: Buffer): string | undefined {
  const at = start.indexOf(returnCodeField);
  if (at < 0) return undefined;
  const from = at + returnCodeField.length;
  const code = start.toString('latin1', from, from + longestReturnCode);
  const end = code.indexOf('"');
  return end < 0 ? undefined : code.slice(0, end);
}
