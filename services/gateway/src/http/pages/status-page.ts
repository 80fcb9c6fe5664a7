/** The status page: readable on a phone, in light and dark mode, without a script. */
import { escapeHtml } from '@offer-ads/platform/pages/web-page';
import type { Dependency, Overall, Status } from '../../domain/status.ts';

const headings = {
  operational: 'Everything works',
  degraded: 'The API works, something behind it does not',
  down: 'Part of the API does not answer',
} satisfies Record<Overall, string>;

/** The names that callers know; other dependencies are shown by their own names. */
const labels: Readonly<Record<string, string>> = {
  postgres: 'Keys and accounts',
  rabbitmq: 'Event delivery',
  'rate-limit-store': 'Shared rate limits',
  offers: 'Offers',
  pricing: 'Pricing',
  billing: 'Billing',
  moderation: 'Image checks',
  notifier: 'Email',
};

/** How often an open page reloads. */
const refreshSeconds = 30;

export function statusPage(status: Status): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="${refreshSeconds}" />
    <title>${escapeHtml(headings[status.overall])} - Status</title>
    <link rel="icon" href="/assets/icon.svg" />
    <link rel="stylesheet" href="/assets/site.css" />
  </head>
  <body>
    <header class="site-bar">
      <a class="brand" href="/"><img class="mark" src="/assets/icon.svg" alt="" width="28" height="28" />Offer Ads</a>
      <nav aria-label="Site"><a href="/docs">Guides</a> <a class="button quiet" href="/portal">Portal</a></nav>
    </header>
    <main class="status">
      <h1>Status</h1>
      <p class="overall ${status.overall}">${escapeHtml(headings[status.overall])}</p>
      <ul class="card dependencies">
${status.dependencies.map(row).join('\n')}
      </ul>
      <p class="note">Checked <time datetime="${status.checkedAt.toISOString()}">${written(status.checkedAt)}</time>
        by one of our servers. This page reloads every ${refreshSeconds} seconds. For programs:
        <a href="/status.json">status.json</a>.</p>
    </main>
  </body>
</html>
`;
}

function row({ name, state, since, responseMs }: Dependency): string {
  const word = state === 'up' ? 'works' : 'does not answer';
  return `        <li class="${state}">
          <strong>${escapeHtml(labels[name] ?? name)}</strong> <span class="state">${word}</span>
          <small>since <time datetime="${since.toISOString()}">${written(since)}</time>, ${responseMs} ms</small>
        </li>`;
}

/** `21 Nov 2026, 18:05 UTC`: the reader's time zone is unknown here. */
function written(at: Date): string {
  const format = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return `${new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' }).format(at)} UTC`;
}
