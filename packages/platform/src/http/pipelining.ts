/**
 * HTTP/1.1 lets a client send further requests before it has its replies (pipelining). Node passes all of them on at once, so a client
 * with a few connections could have thousands of requests in progress. Here each connection has one in progress, and the others wait.
 * A waiting request takes some 13 KB, up to 30 KB with the largest headers: therefore their number is bounded over all connections.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Serve = (req: IncomingMessage, res: ServerResponse) => void;

/** Few clients use pipelining, and those send a handful of requests ahead. A connection with more than this is closed. */
const maxWaiting = 100;
/**
 * Over all connections together: 60 MB at most. The connection that sends one more is closed (decision 174, requests sent early).
 */
const maxWaitingInAll = 2_000;

/** A property of the connection, because a WeakMap slows down every garbage collection. */
const waiting = Symbol('waiting requests');
type Waiting = { readonly req: IncomingMessage; readonly res: ServerResponse };
/** The list exists while a request is in progress. */
type Connection = Socket & { [waiting]?: Waiting[] | undefined };

export function onePerConnection(serve: Serve): Serve {
  let waitingInAll = 0;

  function begin({ req, res }: Waiting): void {
    // Emitted once only. For `once` Node would make a function per request.
    res.on('close', beginNext);
    // If its body was found to be broken while it waited, it has been refused already.
    if (!res.headersSent) serve(req, res);
  }

  // One function for all requests: `this` is the response.
  function beginNext(this: ServerResponse): void {
    const socket: Connection = this.req.socket;
    const queue = socket[waiting] ?? [];
    const next = socket.destroyed ? undefined : queue.shift();
    if (next === undefined) {
      waitingInAll -= queue.length;
      socket[waiting] = undefined;
    } else {
      waitingInAll -= 1;
      begin(next);
    }
  }

  return (req, res) => {
    const socket: Connection = req.socket;
    const queue = socket[waiting];
    if (queue === undefined) {
      socket[waiting] = [];
      begin({ req, res });
    } else if (queue.length < maxWaiting && waitingInAll < maxWaitingInAll) {
      waitingInAll += 1;
      queue.push({ req, res });
    } else socket.destroy();
  };
}
