import { PortalPage } from '../../portal-page.tsx';

export function NewOffer() {
  return <PortalPage title="New offer">{null}</PortalPage>;
}
