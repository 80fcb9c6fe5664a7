/**
 * HTTP/1.1 lets a client send further requests before it has its replies (pipelining). Node hands all of them over at once, so that a
 * client with a few connections has thousands of requests under way. Here each connection has one under way, and the others wait.
 * A request that waits takes some 13 KB, up to 30 KB with the largest headers: therefore their number is bounded over all connections.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Serve = (req: IncomingMessage, res: ServerResponse) => void;

/** Few clients send any request early, and those send a handful. A connection with more than this is ended. */
const mostWaiting = 100;
/**
 * Of all connections together, 60 MB at most. The connection that sends one more is ended (decision 174, requests
 * sent early).
 */
const mostWaitingInAll = 2_000;

/** A property of the connection: a WeakMap would cost every garbage collection its share. */
const waiting = Symbol('requests that wait for their turn');
type Waiting = { readonly req: IncomingMessage; readonly res: ServerResponse };
/** The list is there while a request is under way. */
type Connection = Socket & { [waiting]?: Waiting[] | undefined };

export function inTurn(serve: Serve): Serve {
  let waitingInAll = 0;

  function begin({ req, res }: Waiting): void {
    res.once('close', beginNext);
    // While it waited, its body may have turned out to be broken: then it has been refused.
    if (!res.headersSent) serve(req, res);
  }

  // One listener for all requests: it finds the connection by the response that it is called on.
  function beginNext(this: ServerResponse): void {
    const socket: Connection = this.req.socket;
    const line = socket[waiting] ?? [];
    const next = socket.destroyed ? undefined : line.shift();
    if (next === undefined) {
      waitingInAll -= line.length;
      socket[waiting] = undefined;
    } else {
      waitingInAll -= 1;
      begin(next);
    }
  }

  return (req, res) => {
    const socket: Connection = req.socket;
    const line = socket[waiting];
    if (line === undefined) {
      socket[waiting] = [];
      begin({ req, res });
    } else if (line.length < mostWaiting && waitingInAll < mostWaitingInAll) {
      waitingInAll += 1;
      line.push({ req, res });
    } else socket.destroy();
  };
}
