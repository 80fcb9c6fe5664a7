/** Pages whose script is loaded on first use, and the message when loading fails. */
import type { FetchQueryOptions } from '@tanstack/preact-query';
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import type { Portal } from './portal.ts';
import { PortalPage } from './portal-page.tsx';

export type PageComponent = ComponentType & {
  /** What the page asks for first. It is asked for while the page is still being drawn. */
  readonly firstQuery?: (portal: Portal) => FetchQueryOptions | null;
};

export type PageScript = ComponentType & { readonly preload: () => Promise<PageComponent> };

/** Even a slow phone gets the largest script in less. */
const LOADED_WITHIN_MS = 30_000;

export function pageScript(load: () => Promise<PageComponent>): PageScript {
  return lazy(() => Promise.race([load(), tooLate()]).catch(() => NotLoaded));
}

function tooLate(): Promise<never> {
  return new Promise((_resolve, reject) => setTimeout(reject, LOADED_WITHIN_MS));
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
