/** The revenue of the whole platform in a mode. */
import { ConsolePage } from '../console-page.tsx';
import { ModeTabs, useMode } from '../mode-tabs.tsx';
import { Revenue } from '../revenue.tsx';

export function PlatformRevenue() {
  const mode = useMode();
  return (
    <ConsolePage
      title="Revenue"
      lead="Of all organisations: what their offers cost, less what was credited of them"
    >
      <ModeTabs path="/revenue" />
      <Revenue mode={mode} />
    </ConsolePage>
  );
}
