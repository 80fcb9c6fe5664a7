/**
 * The unsubscribe link (RFC 8058). GET changes nothing, because mail scanners open links. POST ends the mails, with any body or none: mail
 * programs post by themselves, people press the button. A person who has the mail may do so without signing in.
 */
import { requestFacts } from '@offer-ads/platform/http/request';
import type { WebPage } from '@offer-ads/platform/pages/web-page';
import type { Express, Response } from 'express';
import { mailSubjects } from '../domain/preferences.ts';
import type { Notifier } from '../notifier.ts';
import type { Unsubscription } from '../unsubscribe-links.ts';
import { askPage, donePage, unknownPage, unsubscribePageHeaders } from './unsubscribe-page.ts';

type Unsubscribing = Pick<Notifier, 'unsubscribing' | 'preferences' | 'contacts' | 'portalUrl'>;

export function unsubscribeRoutes(app: Express, notifier: Unsubscribing): void {
  const { unsubscribing, preferences, contacts, portalUrl } = notifier;

  async function about({ organisationId, mail }: Unsubscription) {
    const contact = await contacts.find(organisationId);
    return { subject: mailSubjects[mail], organisation: contact?.tradingName, portalUrl };
  }

  app
    .route('/unsubscribe/:token')
    .get(async (req, res) => {
      const meant = unsubscribing.read(req.params.token);
      if (meant === undefined) return show(res, unknownPage());
      const { switchedOff } = await preferences.of(meant.personId);
      show(res, (switchedOff.has(meant.mail) ? donePage : askPage)(await about(meant)));
    })
    .post(async (req, res) => {
      const meant = unsubscribing.read(req.params.token);
      if (meant === undefined) return show(res, unknownPage());
      await preferences.switchOff(meant.personId, meant.mail, requestFacts(req).receivedAt);
      show(res, donePage(await about(meant)));
    });
}

function show(res: Response, { status, html }: WebPage): void {
  res.set(unsubscribePageHeaders).status(status).type('html').send(html);
}
