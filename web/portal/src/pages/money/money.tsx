import { PortalPage } from '../../portal-page.tsx';

export function Money() {
  return <PortalPage title="Balance">{null}</PortalPage>;
}
