/** The page `/downloads`: our clients, their hashes, and what is missing. It works without the apps. */
import { sitePage } from '@offer-ads/contracts/portal/site-page';
import type { Download, Downloads, Missing } from './build.ts';

export function downloadsPage({ files, missing }: Downloads): string {
  return sitePage({
    title: 'Downloads - Offer Ads',
    description: 'The clients of Offer Ads for TypeScript and Python, with their hashes.',
    look: 'status',
    main: `<h1>Downloads</h1>
<p class="note">Our clients for programs. <a href="/docs/sdk">The guide</a> says how they are installed. All hashes:
<a href="/downloads/SHA256SUMS">SHA256SUMS</a>. For programs: <a href="/downloads/index.json">index.json</a>.</p>
<ul class="card dependencies">
${[...files.map(row), ...missing.map(missingRow)].join('\n')}
</ul>`,
  });
}

function row({ name, version, file, size, sha256 }: Download): string {
  return `        <li>
          <strong>${name} ${version}</strong> <a href="/downloads/${file}">${file}</a>
          <small>${Math.ceil(size / 1_000)} kB, SHA-256 <code>${sha256}</code></small>
        </li>`;
}

function missingRow({ name, reason }: Missing): string {
  return `        <li>
          <strong>${name}</strong> <span class="state">is not here</span>
          <small>${reason.replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</small>
        </li>`;
}
