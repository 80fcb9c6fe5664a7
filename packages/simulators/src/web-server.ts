/** Shared by the simulators: the server, its process, the route that sets faults, and the frame of a page. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import express, { type Express } from 'express';
import type { z } from 'zod';

export type WebServer = AsyncDisposable & { readonly url: string; readonly port: number };

/** As services do: callers who read the header `Keep-Alive` close an idle connection first, and send no request on one that is closing. */
const KEEP_ALIVE_BUFFER_MS = 60_000;

/** Listens on `port` (0: any free one). Disposing also closes open connections, so that a stop never waits for a browser. */
export async function listen(app: Express, o: { host: string; port: number }): Promise<WebServer> {
  const server = app.listen(o.port, o.host);
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_BUFFER_MS;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${o.host === '0.0.0.0' ? '127.0.0.1' : o.host}:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `POST /sim/...`: tests set the faults of the simulator. The new faults replace the old ones. */
export function faultsRoute<S extends z.ZodType>(
  app: Express,
  path: string,
  o: { schema: S; set: (faults: z.infer<S>) => void },
): void {
  app.post(path, express.json(), (req, res) => {
    const asked = o.schema.safeParse(req.body ?? {});
    if (asked.success) {
      o.set(asked.data);
      res.json(asked.data);
    } else {
      res.status(400).json({ message: asked.error.issues.map((issue) => issue.message).join('; ') });
    }
  });
}

/** Runs a simulator until SIGTERM or SIGINT. */
export async function runSimulator(name: string, start: () => Promise<WebServer>): Promise<void> {
  const simulator = await start();
  console.log(`${name} listens on ${simulator.url}`);
  const stop = () => {
    simulator[Symbol.asyncDispose]().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** A complete page, also for phones and dark mode. `body` is HTML in which all input is escaped already. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#e1e5ec, #2b323e); --quiet: light-dark(#586172, #a3acbb); --accent: #635bff; background: light-dark(#f6f7fa, #0e1117); color: light-dark(#141924, #e9ecf2) }
  * { box-sizing: border-box }
  body { margin: clamp(0rem, 6vh, 4rem) auto; padding: clamp(1.25rem, 5vw, 2rem); max-width: 36rem; border: 1px solid var(--line); border-radius: .75rem; background: light-dark(#fff, #161b23); font: 1rem/1.5 system-ui, sans-serif }
  a { color: light-dark(#4a41e0, #a9a4ff) }
  h1 { font-size: 1.25rem; overflow-wrap: anywhere }
  table { width: 100%; border-collapse: collapse }
  td, th { padding: .6rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
  td.amount { text-align: right; white-space: nowrap; padding-left: 1rem; font-variant-numeric: tabular-nums }
  tr.total { font-weight: 600 }
  button { width: 100%; margin: 1.5rem 0 .75rem; padding: .9rem; border: 0; border-radius: .5rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; cursor: pointer }
  .quiet { color: var(--quiet); font-size: .875rem }
  /* As high as our longest mail on a phone, so that only the page scrolls and not the frame. */
  iframe { width: 100%; height: 50rem; border: 1px solid var(--line); border-radius: .5rem; background: light-dark(#fff, #0e1117) }
</style>
</head>
<body>
${body}
</body>
</html>
`;
}
