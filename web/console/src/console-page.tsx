/** A page of the console in its frame. */
import type { ComponentProps } from 'preact';
import { Page } from '../../ui/page.tsx';

export function ConsolePage(props: Omit<ComponentProps<typeof Page>, 'site'>) {
  return <Page site="Staff console" {...props} />;
}
