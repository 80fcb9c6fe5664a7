/** A picture in a place of its own size. One that may shock is blurred until somebody asks for it. */
import { useState } from 'preact/hooks';

type PictureFrameProps = {
  readonly src: string;
  readonly alt: string;
  readonly veiled?: boolean;
  readonly large?: boolean;
  /** Where it is, when it is not at the first address. */
  readonly otherwise?: string;
};

export function PictureFrame({ src, alt, veiled = false, large = true, otherwise }: PictureFrameProps) {
  const [shown, setShown] = useState(!veiled);
  const [tried, setTried] = useState<readonly string[]>([]);
  const address = [src, ...(otherwise === undefined ? [] : [otherwise])].find((one) => !tried.includes(one));
  return (
    <div class={`picture ${large ? 'large' : ''} ${shown ? '' : 'veiled'}`}>
      {address === undefined ? (
        <span class="small">No copy is kept</span>
      ) : (
        <img src={address} alt={alt} loading="lazy" onError={() => setTried([...tried, address])} />
      )}
      {!shown && address !== undefined && (
        <button type="button" class="quiet" onClick={() => setShown(true)}>
          Show the picture
        </button>
      )}
    </div>
  );
}
