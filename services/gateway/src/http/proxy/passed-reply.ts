/** A service's reply on its way to the caller: in one piece when it is short, as a stream when it is not. */

import type { ServerResponse } from 'node:http';
import { requestIdHeader, storeTimeHeader } from '@offer-ads/contracts/internal/caller-context';
import { sendHead, tell } from '@offer-ads/platform/http/replies';
import type { StoreClock } from '@offer-ads/platform/postgres/store-clock';
import type { Dispatcher } from 'undici';
import { CallerGone, NoConnectionFree, type ReplyTaker } from '../../upstream.ts';
import { noteReturnCode } from './record-calls.ts';

/**
 * A reply up to this size is sent when it is complete: one write, and one that breaks off on the way is still a 503.
 * Only listings are longer.
 */
const mostBytesHeld = 16 * 1024;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One per request, for speed instead of a handful of closures. */
export class PassedReply implements ReplyTaker {
  readonly taken: Promise<void>;
  readonly #res: ServerResponse;
  readonly #withoutBody: boolean;
  readonly #storeClock: StoreClock;
  #settle!: { readonly resolve: () => void; readonly reject: (error: Error) => void };
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  /** How long the caller has kept the reply waiting, and since when it does so again. */
  #heldUpMs = 0;
  #heldUpSinceMs: number | undefined;
  #ended = false;
  #status = 0;
  #headers: Headers = {};
  /** What has arrived of a reply that is sent in one piece; undefined when it is streamed. */
  #held: Buffer[] | undefined;

  constructor(res: ServerResponse, o: { withoutBody: boolean; storeClock: StoreClock }) {
    this.#res = res;
    this.#storeClock = o.storeClock;
    this.#withoutBody = o.withoutBody;
    this.taken = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  hasBegun(): boolean {
    return this.#controller !== undefined;
  }

  /** The connection is done with; nothing happens when the reply was passed on whole. */
  callerLeft(): void {
    if (!this.#ended) this.#giveUp(new CallerGone('the connection closed'));
  }

  /** Nobody waits any longer for a caller who reads so slowly: half a reply cannot be taken back, so the connection ends. */
  cutOffCaller(): void {
    this.#res.destroy();
    this.callerLeft();
  }

  /** The time for the service is over. */
  serviceTooSlow(problem: string): void {
    this.#giveUp(!this.hasBegun() ? new NoConnectionFree(problem) : new Error(problem));
  }

  /** Ends the request to the service, however far it has come. */
  #giveUp(reason: Error): void {
    this.#givenUp ??= reason;
    this.#settle.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 1xx: the reply itself is still to come.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const shownMs = Number(headers[storeTimeHeader]);
    if (shownMs > 0) this.#storeClock.note(shownMs);
    const length = Number(headers['content-length']);
    if (length <= mostBytesHeld || this.#withoutBody || status === 204 || status === 304) {
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

  /** How long the service would have given more while the caller took nothing. */
  heldUpMs(): number {
    const sinceMs = this.#heldUpSinceMs;
    return this.#heldUpMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  }

  onResponseEnd(): void {
    // The platform has refused the request's body meanwhile: a second end would be an error that nobody hears.
    if (this.#res.writableEnded) return this.callerLeft();
    const held = this.#held;
    if (!this.#res.headersSent) this.#sendHead(held?.[0]);
    if (held === undefined || held.length === 0) this.#res.end();
    // As text that stands for the same bytes: Node sends it together with the head, in one write instead of two.
    else this.#res.end(held.map((chunk) => chunk.toString('latin1')).join(''), 'latin1');
    this.#ended = true;
    this.#settle.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(error);
  }

  #sendHead(start: Buffer | undefined): void {
    const res = this.#res;
    const code = start === undefined ? undefined : returnCodeIn(start);
    if (code !== undefined) noteReturnCode(res, code);
    const named = namesIn(this.#headers.connection);
    for (const name in this.#headers) {
      const value = this.#headers[name];
      if (value === undefined || notPassedBack.has(name) || named?.includes(name) === true) continue;
      tell(res, name, value);
    }
    sendHead(res, this.#status);
  }
}

/** Headers of one connection, not of the reply (RFC 9110, 7.6.1), and those that the gateway itself sets. */
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

/** Further headers that `Connection` says belong to the connection. */
function namesIn(connection: string | string[] | undefined): readonly string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

const returnCodeField = Buffer.from('"return_code":"');
const longestReturnCode = 4;

/**
 * Looked for, not parsed: replies with a return code begin with it, or nearly so. Inside of a text the quotes would be
 * escaped, so nothing that an advertiser wrote can be taken for it.
 */
function returnCodeIn(start: Buffer): string | undefined {
  const at = start.indexOf(returnCodeField);
  if (at < 0) return undefined;
  const from = at + returnCodeField.length;
  const code = start.toString('latin1', from, from + longestReturnCode);
  const end = code.indexOf('"');
  return end < 0 ? undefined : code.slice(0, end);
}
