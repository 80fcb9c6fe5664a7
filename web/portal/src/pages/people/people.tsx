import { PortalPage } from '../../portal-page.tsx';

export function People() {
  return <PortalPage title="People">{null}</PortalPage>;
}
