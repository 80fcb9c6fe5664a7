import { PortalPage } from '../../portal-page.tsx';

export function Keys() {
  return <PortalPage title="API keys">{null}</PortalPage>;
}
