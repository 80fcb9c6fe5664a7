/**
 * The peer of placements, as two processes. With UPSTREAM_URL, a server that passes requests on by undici; without it, one that parses them
 * and answers REPLY. They know no key, count no limit, match nothing, sign nothing, and log nothing: they show what HTTP alone takes here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import { Pool } from 'undici';

const { UPSTREAM_URL, REPLY = '', PORT } = process.env;
const upstream = UPSTREAM_URL === undefined ? undefined : new Pool(UPSTREAM_URL);

async function answerTo(req: IncomingMessage): Promise<string | Buffer> {
  if (req.method !== 'POST') return 'ready';
  if (upstream === undefined) {
    await json(req);
    return REPLY;
  }
  const headers = { 'content-type': 'application/json' };
  const { body } = await upstream.request({ path: '/', method: 'POST', headers, body: await buffer(req) });
  return Buffer.from(await body.arrayBuffer());
}

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const answer = await answerTo(req);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
  res.end(answer);
}

createServer((req, res) => void serve(req, res)).listen(Number(PORT), '127.0.0.1');
