/** Chooses the square of a picture: by dragging it, or by sliders, which work with the keyboard. */
import { useEffect, useRef } from 'preact/hooks';
import { type Crop, dragged, MAX_ZOOM, middle } from './crop.ts';
import { draw, type Source } from './picture-source.ts';

type CropPictureProps = {
  readonly source: Source;
  readonly crop: Crop;
  readonly change: (crop: Crop) => void;
};

/** The canvas is shown smaller; twice its size is sharp on dense screens. */
const PIXELS = 480;
const EVERY_PERCENT = 100;

export function CropPicture({ source, crop, change }: CropPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { bitmap } = source;
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, bitmap, crop);
  }, [bitmap, crop.zoom, crop.x, crop.y]);

  const drag = (event: PointerEvent & { readonly currentTarget: HTMLCanvasElement }) => {
    const { currentTarget } = event;
    if (!currentTarget.hasPointerCapture(event.pointerId)) return;
    const { clientWidth: side } = currentTarget;
    change(dragged(crop, bitmap, { x: event.movementX / side, y: event.movementY / side }));
  };
  const slider = (
    label: string,
    part: keyof Crop,
    [least, most]: readonly [number, number],
    isUseful = true,
  ) => (
    <label class="crop-slider">
      <span>{label}</span>
      <input
        type="range"
        class="slider"
        min={least * EVERY_PERCENT}
        max={most * EVERY_PERCENT}
        step={1}
        disabled={!isUseful}
        value={Math.round(crop[part] * EVERY_PERCENT)}
        aria-valuetext={`${Math.round(crop[part] * EVERY_PERCENT)} percent`}
        onInput={(event) => change({ ...crop, [part]: Number(event.currentTarget.value) / EVERY_PERCENT })}
      />
    </label>
  );
  const isZoomed = crop.zoom > 1;
  return (
    <fieldset class="crop">
      <legend>Visible part</legend>
      <canvas
        ref={canvas}
        width={PIXELS}
        height={PIXELS}
        role="img"
        aria-label="The square of the picture that members see"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <div class="crop-sliders">
        {slider('Zoom', 'zoom', [1, MAX_ZOOM])}
        {slider('Left to right', 'x', [0, 1], isZoomed || bitmap.width > bitmap.height)}
        {slider('Top to bottom', 'y', [0, 1], isZoomed || bitmap.height > bitmap.width)}
        <p class="hint">Drag the picture, or use the sliders.</p>
        <div>
          <button type="button" class="quiet" onClick={() => change(middle)}>
            Reset
          </button>
        </div>
      </div>
    </fieldset>
  );
}
