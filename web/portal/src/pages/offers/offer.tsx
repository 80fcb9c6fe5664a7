import { PortalPage } from '../../portal-page.tsx';

export function Offer() {
  return <PortalPage title="Offer">{null}</PortalPage>;
}
