/** The layout of a console page. */
import type { ComponentProps } from 'preact';
import { Page } from '../../ui/page.tsx';

export function ConsolePage(props: Omit<ComponentProps<typeof Page>, 'site'>) {
  return <Page site="Staff console" {...props} />;
}
