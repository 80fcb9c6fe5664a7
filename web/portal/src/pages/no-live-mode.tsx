import { PortalPage } from '../portal-page.tsx';

/** In place of every LIVE page while the organisation waits for approval. */
export function NoLiveMode() {
  return (
    <PortalPage title="Your organisation has no LIVE mode yet">
      <p>
        The platform team looks at new organisations before they use LIVE mode. You get a mail as soon as
        yours is approved: there is nothing to do until then.
      </p>
      <p>
        TEST mode is open to you meanwhile: create keys, estimate prices and try out offers with play money.
      </p>
      <p>
        <a class="button" href="/portal/test">
          Go to TEST mode
        </a>
      </p>
    </PortalPage>
  );
}
