/** The layout of a portal page. */
import './written.css';
import type { ComponentProps } from 'preact';
import { Page } from '../../ui/page.tsx';

export function PortalPage(props: Omit<ComponentProps<typeof Page>, 'site'>) {
  return <Page site="Advertiser portal" {...props} />;
}
