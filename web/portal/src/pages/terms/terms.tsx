import { PortalPage } from '../../portal-page.tsx';

export function Terms() {
  return <PortalPage title="Terms">{null}</PortalPage>;
}
