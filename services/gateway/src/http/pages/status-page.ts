/** The status page. */
import { sitePage } from '@offer-ads/contracts/portal/site-page';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import type { Dependency, Outage, Overall, StatusWithOutages } from '../../domain/status.ts';

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

export function statusPage(status: StatusWithOutages): string {
  return sitePage({
    title: `${headings[status.overall]} - Status`,
    description: 'Whether Offer Ads works now, and its outages of the last 90 days.',
    look: 'status',
    main: `      <h1>Status</h1>
      <p class="overall ${status.overall}">${escapeHtml(headings[status.overall])}</p>
      <ul class="card dependencies">
${status.dependencies.map(row).join('\n')}
      </ul>
      <h2>The last 90 days</h2>
${history(status.outages)}
      <p class="note">Checked <time datetime="${status.checkedAt.toISOString()}">${written(status.checkedAt)}</time>
        by one of our servers. For programs:
        <a href="/status.json">status.json</a>.</p>`,
  });
}

function row({ name, state, since, responseMs }: Dependency): string {
  const word = state === 'up' ? 'works' : 'does not answer';
  return `        <li class="${state}">
          <strong>${escapeHtml(labels[name] ?? name)}</strong> <span class="state">${word}</span>
          <small>since <time datetime="${since.toISOString()}">${written(since)}</time>, ${responseMs} ms</small>
        </li>`;
}

function history(outages: readonly Outage[] | null): string {
  if (outages === null) return '      <p>Earlier outages cannot be read at the moment.</p>';
  if (outages.length === 0) return '      <p>There was no outage of a minute or more.</p>';
  return `      <ul class="card dependencies">
${outages.map(outageRow).join('\n')}
      </ul>`;
}

function outageRow({ name, beganAt, endedAt }: Outage): string {
  const began = `<time datetime="${beganAt.toISOString()}">${written(beganAt)}</time>`;
  const lasted =
    endedAt === null ? 'until now' : `for ${durationText(endedAt.getTime() - beganAt.getTime())}`;
  return `        <li><strong>${escapeHtml(labels[name] ?? name)}</strong> <span>${lasted}</span>
          <small>did not answer from ${began}</small></li>`;
}

/** `1 minute`, `2 hours 5 minutes`. */
function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
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
