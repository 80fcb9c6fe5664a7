/** The two pages of the unsubscribe link. */
import { type WebPage, webPage, webPageHeaders } from '@offer-ads/platform/pages/web-page';
import { foreign, oneLineHtml } from '../domain/letters/plain-text.ts';

type About = {
  /** Such as "ended offers". */
  readonly subject: string;
  /** Undefined if the organisation is unknown. */
  readonly organisation: string | undefined;
  readonly portalUrl: string;
};

export function askPage(about: About): WebPage {
  return {
    status: 200,
    html: frame(
      'Stop these mails?',
      `<p>You get mails about ${subjectOf(about)}. Do you want to stop them?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop these mails</button></form>
<p class="quiet">Mails about payments, credits and signing in are not affected.</p>`,
    ),
  };
}

export function donePage(about: About): WebPage {
  return {
    status: 200,
    html: frame(
      'These mails are stopped',
      `<p>You get no more mails about ${subjectOf(about)}. One that is on its way may still arrive.</p>
<p>To get them again, sign in to <a href="${oneLineHtml(about.portalUrl)}">the advertiser portal</a> and switch them on under Settings.</p>`,
    ),
  };
}

export function unknownPage(): WebPage {
  return {
    status: 404,
    html: frame('Not found', '<p>This link is not complete. Please open it from the mail again.</p>'),
  };
}

function subjectOf({ subject, organisation }: About): string {
  const of = organisation === undefined ? '' : ` of ${foreign(organisation)}`;
  return oneLineHtml(`${subject}${of}`);
}

function frame(title: string, body: string): string {
  return webPage({ title, heading: title, body });
}

export const unsubscribePageHeaders = webPageHeaders({ hasForm: true });
