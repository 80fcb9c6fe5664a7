import { PortalPage } from '../portal-page.tsx';

export function NotFound() {
  return (
    <PortalPage title="There is no such page">
      <p>
        The address may be mistyped, or what stood there is gone. <a href="/portal">Go to the start</a>.
      </p>
    </PortalPage>
  );
}
