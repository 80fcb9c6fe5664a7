import { PortalPage } from '../../portal-page.tsx';

export function Offers() {
  return <PortalPage title="Offers">{null}</PortalPage>;
}
