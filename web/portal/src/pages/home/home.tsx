import { PortalPage } from '../../portal-page.tsx';

export function Home() {
  return <PortalPage title="Home">{null}</PortalPage>;
}
