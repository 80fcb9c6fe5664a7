/** Pages whose script is loaded on first use, and the message when loading fails. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { PortalPage } from './portal-page.tsx';

export type PageScript = ComponentType & { readonly preload: () => Promise<ComponentType> };

export function pageScript(load: () => Promise<ComponentType>): PageScript {
  return lazy(() => load().catch(() => NotLoaded));
}

/** Each release renames the scripts and removes the old ones, so an open page may fail to load one. */
function NotLoaded() {
  return (
    <PortalPage title="This page could not be loaded">
      <p>There is a newer version of the portal, or the connection is lost. Please reload the page.</p>
      <Reload />
    </PortalPage>
  );
}

/** Shown after an error in a page; the frame around it still works. */
export function Broken() {
  return (
    <PortalPage title="This page does not work">
      <p>This is our fault. Reload the page. If it does not help, tell the platform team what you did.</p>
      <Reload />
    </PortalPage>
  );
}

function Reload() {
  return (
    <div>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
