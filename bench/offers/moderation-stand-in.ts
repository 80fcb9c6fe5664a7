/** A stand-in for moderation that allows every picture at once, to measure a creation without the model. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const server = createServer((req, res) => {
  if (req.url === '/internal/verdicts') void allow(req, res);
  else answer(res, 'application/json', Buffer.from('{}'));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

async function allow(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  answer(res, 'image/jpeg', Buffer.concat(parts));
}

function answer(res: ServerResponse, type: string, body: Buffer): void {
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length }).end(body);
}
