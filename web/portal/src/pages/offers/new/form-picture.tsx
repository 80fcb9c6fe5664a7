/** The picture with its preview, and in TEST mode the two test pictures with a fixed verdict. */

import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { useEffect, useState } from 'preact/hooks';
import allowed from '../../../../../../docs/test-pictures/always-allowed.png?url';
import refused from '../../../../../../docs/test-pictures/always-refused.jpg?url';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { Field } from '../../../../../ui/field.tsx';
import { usePortal } from '../../../session.ts';
import { MemberCard } from '../member-card.tsx';
import { type Draft, pictureState } from './draft.ts';

type PictureFieldsProps = {
  readonly draft: Draft;
  readonly picture: File | null;
  readonly fault: string | undefined;
  readonly choose: (picture: File | null) => void;
};

const testPictures = [
  { address: allowed, name: 'always-allowed.png', type: 'image/png', label: 'Use one that always passes' },
  {
    address: refused,
    name: 'always-refused.jpg',
    type: 'image/jpeg',
    label: 'Use one that is always refused',
  },
] as const;

export function PictureFields({ draft, picture, fault, choose }: PictureFieldsProps) {
  const { mode } = usePortal();
  const shown = useObjectUrl(pictureState(picture) === 'fits' ? picture : null);
  const [size, setSize] = useState<{
    readonly of: string;
    readonly width: number;
    readonly height: number;
  } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const takeTest = async ({ address, name, type }: (typeof testPictures)[number]) => {
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(String(response.status));
      setProblem(null);
      choose(new File([await response.blob()], name, { type }));
    } catch {
      setProblem('The test picture could not be loaded. Please try again.');
    }
  };

  return (
    <div class="picture-choice">
      <div class="stack">
        <Field
          label="Picture"
          hint={`JPG, PNG or GIF, at most ${offerLimits.imageMegabytes} MB; best with 1080 × 1080 pixels. It is checked before the offer is created.`}
          fault={fault ?? problem ?? undefined}
        >
          {(described) => (
            <input
              {...described}
              type="file"
              accept="image/jpeg,image/png,image/gif"
              onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
            />
          )}
        </Field>
        {picture !== null && (
          <p class="small muted" aria-live="polite">
            {picture.name}
            {size !== null && size.of === shown && `, ${size.width} × ${size.height} pixels${adviceOn(size)}`}
          </p>
        )}
        {mode === 'test' && (
          <div class="row">
            {testPictures.map((test) => (
              <BusyButton key={test.name} class="quiet" work={() => takeTest(test)}>
                {test.label}
              </BusyButton>
            ))}
          </div>
        )}
      </div>
      <MemberCard
        draft={draft}
        picture={shown}
        measured={(width, height) => shown !== null && setSize({ of: shown, width, height })}
        unreadable={() => setProblem('This file cannot be shown as a picture; it is likely to be refused.')}
      />
    </div>
  );
}

function adviceOn({ width, height }: { readonly width: number; readonly height: number }): string {
  if (Math.min(width, height) < 600) return ': small; it may look blurred.';
  return Math.max(width, height) > Math.min(width, height) * 1.15
    ? ': not square; the edges will be cut off.'
    : '.';
}

function useObjectUrl(file: File | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (file === null) return setUrl(null);
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}
