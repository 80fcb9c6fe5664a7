/**
 * The cost of Node itself: its HTTP server and undici, without limit, key, log or deadline. Our gateway cannot become faster
 * than this without leaving Node. PORT and UPSTREAM_URL come from the environment.
 */
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 256 });

class Reply implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  readonly #chunks: Buffer[] = [];
  constructor(res: ServerResponse) {
    this.#res = res;
  }
  onRequestStart(): void {}
  onResponseStart(_controller: unknown, status: number, headers: Record<string, unknown>): void {
    const { 'content-type': type, 'content-length': length, 'x-request-id': id } = headers;
    this.#res.writeHead(status, [
      'content-type',
      String(type),
      'content-length',
      String(length),
      'x-request-id',
      String(id),
    ]);
  }
  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }
  onResponseEnd(): void {
    this.#res.end(Buffer.concat(this.#chunks).toString('latin1'), 'latin1');
  }
  onResponseError(): void {
    this.#res.destroy();
  }
}

createServer((req, res) => {
  const headers = ['accept', 'application/json', 'x-request-id', 'a-request-id'];
  pool.dispatch({ path: req.url ?? '/', method: 'GET', headers }, new Reply(res));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
