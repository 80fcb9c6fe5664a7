/** Pages whose script comes when they are first looked at, and what stands there when it does not come. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { PortalPage } from './portal-page.tsx';

export function pageScript(load: () => Promise<ComponentType>): ComponentType {
  return lazy(() => load().catch(() => NotLoaded));
}

/** Scripts have other names after each release, and those before are gone. */
function NotLoaded() {
  return (
    <PortalPage title="This page could not be loaded">
      <p>
        Either the portal was renewed while you had it open, or the connection is gone. Loading it anew helps.
      </p>
      <Reload />
    </PortalPage>
  );
}

/** A fault of ours in a page: the frame around it goes on working. */
export function Broken() {
  return (
    <PortalPage title="This page does not work">
      <p>That is our fault. Load it anew; if it stays, tell the platform team what you did.</p>
      <Reload />
    </PortalPage>
  );
}

function Reload() {
  return (
    <div>
      <button type="button" onClick={() => location.reload()}>
        Load anew
      </button>
    </div>
  );
}
