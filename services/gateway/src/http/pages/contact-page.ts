/** `/contact`: who runs this service, from the settings. */
import { sitePage } from '@offer-ads/contracts/portal/site-page';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { policyOf, protect } from '@offer-ads/platform/pages/built-pages';
import type { Express } from 'express';
import type { GatewayConfig } from '../../config.ts';

/** Of pages without a script. */
export const sitePolicy = policyOf([
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  // Judges of pages fetch robots.txt from the page itself.
  "connect-src 'self'",
]);

type Contact = Pick<GatewayConfig, 'SUPPORT_EMAIL' | 'IMPRINT_URL' | 'PRIVACY_POLICY_URL' | 'TERMS_URL'>;

export function contactPage(app: Express, config: Contact): void {
  const page = sitePage({
    title: 'Contact and legal - Offer Ads',
    description: 'Who runs Offer Ads here, and whom to ask for help.',
    look: 'status',
    main: contactsOf(config),
  });
  app.get('/contact', (_req, res) => {
    protect(res, sitePolicy);
    res.set('Cache-Control', 'max-age=300').type('html').send(page);
  });
}

function contactsOf(config: Contact): string {
  const { SUPPORT_EMAIL: support } = config;
  const entries = [
    ['Help', support && `mailto:${support}`, support],
    ['Imprint', config.IMPRINT_URL],
    ['Privacy policy', config.PRIVACY_POLICY_URL],
    ['Terms for advertisers', config.TERMS_URL],
  ] as const;
  const rows = entries.map(([title, address, text = address]) =>
    address === undefined || text === undefined
      ? ''
      : `<li><strong>${title}</strong> <a href="${escapeHtml(address)}">${escapeHtml(text)}</a></li>`,
  );
  const list = rows.join('');
  return `<h1>Contact and legal</h1>
${list === '' ? '<p>Who runs this service has published nothing here yet.</p>' : `<ul class="card dependencies">${list}</ul>`}`;
}
