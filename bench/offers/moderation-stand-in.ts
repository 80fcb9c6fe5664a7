/** A stand-in for moderation that allows every picture at once, to measure a creation without the model. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';

const server = createServer((req, res) => {
  if (req.url === '/internal/verdicts') void allow(req, res);
  else answer(res, {});
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

async function allow(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  const verdict: VerdictReply = {
    verdict: 'allowed',
    contentHash: '0'.repeat(64),
    contentType: 'image/jpeg',
    imageBase64: Buffer.concat(parts).toString('base64'),
  };
  answer(res, verdict);
}

function answer(res: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  res
    .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
