import { PortalPage } from '../../portal-page.tsx';

export function Settings() {
  return <PortalPage title="Settings">{null}</PortalPage>;
}
