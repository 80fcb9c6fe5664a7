/** What the simulators share: listening, a process that stops when told to, and a page's shell. */
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export type WebServer = AsyncDisposable & { readonly url: string; readonly port: number };

/** Listens on `port` (0: any free one). Disposing ends open connections too, so that stopping never waits for a browser. */
export async function listen(app: Express, o: { host: string; port: number }): Promise<WebServer> {
  const server = app.listen(o.port, o.host);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
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

/** Runs a simulator as a process of its own until SIGTERM or SIGINT. */
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

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => replacements[character] ?? character);
}

/** A whole page, readable on a phone and in the dark. `body` is HTML; whatever it quotes must be escaped already. */
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
  :root { color-scheme: light dark; --line: #8884; --quiet: light-dark(#555, #aaa); --accent: #635bff }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 34rem; font: 1rem/1.5 system-ui, sans-serif }
  h1 { font-size: 1.25rem; overflow-wrap: anywhere }
  table { width: 100%; border-collapse: collapse }
  td, th { padding: .6rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
  td.amount { text-align: right; white-space: nowrap; padding-left: 1rem; font-variant-numeric: tabular-nums }
  tr.total { font-weight: 600 }
  button { width: 100%; margin: 1.5rem 0 .75rem; padding: .9rem; border: 0; border-radius: .5rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; cursor: pointer }
  .quiet { color: var(--quiet); font-size: .875rem }
  /* As high as our longest mail on a phone: nobody scrolls inside of a page that scrolls. */
  iframe { width: 100%; height: 50rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff }
</style>
</head>
<body>
${body}
</body>
</html>
`;
}
