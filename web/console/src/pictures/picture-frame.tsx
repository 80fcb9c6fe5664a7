/** A picture in a frame of fixed size. A picture that may shock is blurred until it is clicked. */
import { useState } from 'preact/hooks';

type PictureFrameProps = {
  readonly src: string;
  readonly alt: string;
  readonly veiled?: boolean;
  readonly large?: boolean;
  /** A second address, tried when the first one fails. */
  readonly otherwise?: string;
};

export function PictureFrame({ src, alt, veiled = false, large = true, otherwise }: PictureFrameProps) {
  const [shown, setShown] = useState(!veiled);
  const [tried, setTried] = useState<readonly string[]>([]);
  const address = [src, ...(otherwise === undefined ? [] : [otherwise])].find((one) => !tried.includes(one));
  return (
    <div class={`picture ${large ? 'large' : ''} ${shown ? '' : 'veiled'}`}>
      {address === undefined ? (
        <span class="small">No copy is stored</span>
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
