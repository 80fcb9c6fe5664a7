/** A button that downloads a CSV file of the API. A refusal is shown beside it, because a link would open it as a page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../ui/busy-button.tsx';
import { dayText } from '../../ui/time-text.ts';
import { slugOf } from './names.ts';
import { usePortal } from './session.ts';

type DownloadProps = {
  /** What follows `/portal/api`. */
  readonly path: string;
  /** What the file holds, and of which period; letters, digits and hyphens. */
  readonly name: string;
  readonly children: ComponentChildren;
};

/** The server allows itself 8 s. */
const TIMEOUT_MS = 15_000;

export function Download({ path, name, children }: DownloadProps) {
  const { session, mode } = usePortal();
  const [fault, setFault] = useState<string | null>(null);
  const download = async () => {
    setFault(null);
    try {
      const reply = await fetch(`/portal/api${path}`, {
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!reply.ok) return setFault(await refusalOf(reply));
      const file = await reply.blob();
      save(file, `${slugOf(session.organisation.tradingName)}-${name}-${mode}-${dayText(new Date())}.csv`);
    } catch {
      setFault('The file did not come. Check your connection and try again.');
    }
  };
  return (
    <>
      <BusyButton class="quiet" work={download}>
        {children}
      </BusyButton>
      {fault !== null && (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

async function refusalOf(reply: Response): Promise<string> {
  if (reply.status === 429) return 'Too many requests. Please try again in a minute.';
  const body = (await reply.json().catch(() => ({}))) as { readonly message?: string };
  if (reply.status >= 500 || body.message === undefined)
    return 'This is not available at the moment. Please try again in a minute.';
  return `${body.message}.`;
}

export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
