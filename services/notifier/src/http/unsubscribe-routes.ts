/**
 * The unsubscribe link (RFC 8058). GET changes nothing, because mail scanners open links. POST ends the mails, with any body or none: mail
 * programs post by themselves, people press the button. A person who has the mail may do so without signing in.
 */
import { requestFacts } from '@offer-ads/platform/http/request';
import { webPage, webPageHeaders } from '@offer-ads/platform/pages/web-page';
import type { Express, Request, Response } from 'express';
import { foreign, oneLineHtml } from '../domain/letters/plain-text.ts';
import { mailSubjects } from '../domain/preferences.ts';
import type { Notifier } from '../notifier.ts';
import type { Unsubscription } from '../unsubscribe-links.ts';

const headers = webPageHeaders({ hasForm: true });

export function unsubscribeRoutes(
  app: Express,
  o: Pick<Notifier, 'unsubscribing' | 'preferences' | 'contacts' | 'portalUrl'>,
): void {
  async function answer(
    req: Request<{ token: string }>,
    res: Response,
    isSwitchedOff: (meant: Unsubscription) => Promise<boolean>,
  ): Promise<void> {
    const show = (status: number, title: string, body: string) =>
      res
        .set(headers)
        .status(status)
        .type('html')
        .send(webPage({ title, heading: title, body }));
    const meant = o.unsubscribing.read(req.params.token);
    if (meant === undefined)
      return void show(
        404,
        'Not found',
        '<p>This link is not complete. Please open it from the mail again.</p>',
      );
    const isOff = await isSwitchedOff(meant);
    const contact = await o.contacts.find(meant.organisationId);
    const of = contact === undefined ? '' : ` of ${foreign(contact.tradingName)}`;
    const subject = oneLineHtml(`${mailSubjects[meant.mail]}${of}`);
    if (isOff) show(200, 'These mails are stopped', donePage(subject, o.portalUrl));
    else show(200, 'Stop these mails?', askPage(subject));
  }

  app
    .route('/unsubscribe/:token')
    .get((req, res) =>
      answer(req, res, async ({ personId, mail }) => !(await o.preferences.of(personId))[mail]),
    )
    .post((req, res) =>
      answer(req, res, async ({ personId, mail }) => {
        await o.preferences.switchOff(personId, mail, requestFacts(req).receivedAt);
        return true;
      }),
    );
}

/** @param subject HTML, such as "ended offers of Corner Cafe" */
function askPage(subject: string): string {
  return `<p>You get mails about ${subject}. Do you want to stop them?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop these mails</button></form>
<p class="quiet">Mails about payments, credits and signing in are not affected.</p>`;
}

function donePage(subject: string, portalUrl: string): string {
  return `<p>You get no more mails about ${subject}. One that is on its way may still arrive.</p>
<p>To get them again, sign in to <a href="${oneLineHtml(portalUrl)}">the advertiser portal</a> and switch them on under Settings.</p>`;
}
