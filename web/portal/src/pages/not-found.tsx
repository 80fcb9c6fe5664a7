import { PortalPage } from '../portal-page.tsx';

export function NotFound() {
  return (
    <PortalPage title="There is no such page">
      <p>
        The address may be wrong, or the page was removed. <a href="/portal">Go to the start page</a>.
      </p>
    </PortalPage>
  );
}
