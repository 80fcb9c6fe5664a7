/** The mode of a page, in its address: LIVE, or else TEST. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { useLocation } from 'preact-iso';

export function useMode(): Mode {
  return useLocation().query['mode'] === 'TEST' ? 'TEST' : 'LIVE';
}

export function ModeTabs({ path }: { readonly path: string }) {
  const mode = useMode();
  return (
    <nav class="tabs" aria-label="Modes">
      {(['LIVE', 'TEST'] as const).map((one) => (
        <a key={one} href={`${path}?mode=${one}`} aria-current={one === mode ? 'page' : undefined}>
          {one}
        </a>
      ))}
    </nav>
  );
}
