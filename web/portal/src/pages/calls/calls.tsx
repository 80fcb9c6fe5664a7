import { PortalPage } from '../../portal-page.tsx';

export function Calls() {
  return <PortalPage title="Call log">{null}</PortalPage>;
}
