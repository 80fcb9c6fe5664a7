import { PortalPage } from '../portal-page.tsx';

/** Shown instead of every LIVE page while the organisation waits for approval. */
export function NoLiveMode() {
  return (
    <PortalPage title="Your organisation has no LIVE mode yet">
      <p>
        The platform team checks new organisations before they can use LIVE mode. You get a mail when your
        organisation is approved. You do not need to do anything until then.
      </p>
      <p>You can use TEST mode now: create keys, estimate prices and try out offers with play money.</p>
      <p>
        <a class="button" href="/portal/test">
          Go to TEST mode
        </a>
      </p>
    </PortalPage>
  );
}
