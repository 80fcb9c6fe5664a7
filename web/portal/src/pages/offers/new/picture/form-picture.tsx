/**
 * The picture: dropped, pasted or chosen, then cut to the square that members see. In TEST mode there are two test pictures with a fixed
 * verdict of the moderation.
 */
import './picture.css';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import allowed from '../../../../../../../docs/test-pictures/always-allowed.png?url';
import refused from '../../../../../../../docs/test-pictures/always-refused.jpg?url';
import { BusyButton } from '../../../../../../ui/busy-button.tsx';
import { usePortal } from '../../../../session.ts';
import { More } from '../more.tsx';
import { type Crop, sentPixels } from './crop.ts';
import { CropPicture } from './crop-picture.tsx';
import { croppedFile, isKeptWhole, originOf, readSource } from './picture-source.ts';

type PictureFieldsProps = {
  readonly label?: string;
  readonly picture: File | null;
  /** Which picture the offer has without a file: "The picture of the copied offer". Null: none. */
  readonly otherwise: string | null;
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

/** Smaller pictures look blurred on most screens. */
const SHARP_PIXELS = 600;

export function PictureFields({ label = 'Picture', picture, otherwise, fault, choose }: PictureFieldsProps) {
  const { mode } = usePortal();
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  const origin = originOf(picture);
  const chosen = useChosen(picture, choose);

  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const source = await readSource(file);
    if (source === null) {
      chosen.none();
      return setProblem('This file cannot be read as a picture of at most 40 MB. Choose a JPG, PNG or GIF.');
    }
    setProblem(null);
    chosen.use(await croppedFile(source));
  };
  usePictures(take);

  const takeTest = async ({ address, name, type }: (typeof testPictures)[number]) => {
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(String(response.status));
      await take(new File([await response.blob()], name, { type }));
    } catch {
      setProblem('The test picture could not be loaded. Please try again.');
    }
  };

  // A file that cannot be read says more than that a picture is missing.
  const said = problem ?? fault;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div
        class="drop-zone"
        data-over={isOver}
        onDragOver={() => setIsOver(true)}
        onDragLeave={() => setIsOver(false)}
        onDrop={() => setIsOver(false)}
      >
        <input
          id={id}
          class="hidden"
          type="file"
          accept="image/*"
          aria-describedby={`${id}-hint${said === undefined ? '' : ` ${id}-fault`}`}
          aria-invalid={said === undefined ? undefined : true}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            // The same file can be chosen again.
            event.currentTarget.value = '';
          }}
        />
        <p>
          <span class="drop-words">Drop a picture here, paste it, or </span>
          <label class="button quiet" for={id}>
            {picture === null && otherwise === null ? 'Choose a picture' : 'Choose another picture'}
          </label>
        </p>
        {picture === null && otherwise !== null && <p class="small muted">{otherwise}</p>}
        {picture !== null && (
          <p class="small muted" aria-live="polite">
            {picture.name}
            {origin !== null && sizeText(sentPixels(origin.source.bitmap, origin.crop))}
          </p>
        )}
      </div>
      <span id={`${id}-hint`} class="hint">
        Best from 1080 × 1080 pixels. It is cut to a square and checked before members see it. Only a GIF
        stays animated.
      </span>
      {said !== undefined && (
        <span id={`${id}-fault`} class="fault">
          {said}
        </span>
      )}
      {mode === 'test' && (
        <More summary="For testing: pictures with a known result" attention="">
          <p class="hint">
            Every picture is checked before members see it. In TEST mode these two always have the same
            result.
          </p>
          <div class="row">
            {testPictures.map((test) => (
              <BusyButton key={test.name} class="quiet small" work={() => takeTest(test)}>
                {test.label}
              </BusyButton>
            ))}
          </div>
        </More>
      )}
      {origin !== null && isKeptWhole(origin.source.file) && (
        <p class="hint">A GIF is sent as it is, because it may move. Members see its middle square.</p>
      )}
      {origin !== null && !isKeptWhole(origin.source.file) && (
        <More summary="Adjust what members see of it" attention="">
          <CropPicture source={origin.source} crop={chosen.crop ?? origin.crop} change={chosen.cropTo} />
        </More>
      )}
    </div>
  );
}

function sizeText(pixels: number): string {
  const size = `, ${pixels} × ${pixels} pixels`;
  return pixels < SHARP_PIXELS ? `${size}: it may look blurred. Choose a larger one, or zoom out` : size;
}

/** The chosen picture, and its crop while it is being changed: the file follows a moment later. */
function useChosen(picture: File | null, choose: (picture: File | null) => void) {
  const [crop, setCrop] = useState<Crop | null>(null);
  const latest = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = (next: File | null) => {
    latest.current += 1;
    clearTimeout(timer.current);
    setCrop(null);
    choose(next);
  };
  return {
    crop,
    use: set,
    none: () => set(null),
    cropTo: (next: Crop) => {
      const source = originOf(picture)?.source;
      if (source === undefined) return;
      setCrop(next);
      latest.current += 1;
      const mine = latest.current;
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () => void croppedFile(source, next).then((made) => mine === latest.current && set(made)),
        CROP_MS,
      );
    },
  };
}

/** Longer than the steps of a moving slider: writing a picture takes a moment. */
const CROP_MS = 120;

/** Pictures that are pasted or dropped anywhere on the page. */
function usePictures(take: (file: File | undefined) => Promise<void>): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const pasted = (event: ClipboardEvent) => {
      const file = event.clipboardData?.files[0];
      // Text with a picture beside it belongs to the field in which it is pasted.
      if (file === undefined || event.clipboardData?.types.includes('text/plain') === true) return;
      event.preventDefault();
      void latest.current(file);
    };
    const dropped = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      // Otherwise the browser would leave the page and show the file.
      event.preventDefault();
      if (event.type === 'drop') void latest.current(event.dataTransfer.files[0]);
    };
    document.addEventListener('paste', pasted);
    document.addEventListener('dragover', dropped);
    document.addEventListener('drop', dropped);
    return () => {
      document.removeEventListener('paste', pasted);
      document.removeEventListener('dragover', dropped);
      document.removeEventListener('drop', dropped);
    };
  }, []);
}
