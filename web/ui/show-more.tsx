/** Lists that may be long show their beginning; the rest comes on demand. */
import { useState } from 'preact/hooks';

const aPage = 50;

/** `list` as far as it is shown, and what shows more of it. */
export function useShown<T>(list: readonly T[]) {
  const [atMost, setAtMost] = useState(aPage);
  return {
    shown: list.slice(0, atMost),
    more: <ShowMore left={list.length - atMost} show={() => setAtMost(atMost + aPage)} />,
  };
}

function ShowMore({ left, show }: { readonly left: number; readonly show: () => void }) {
  if (left <= 0) return null;
  return (
    <div>
      <button type="button" class="quiet" onClick={show}>
        Show {Math.min(left, aPage)} more of {left}
      </button>
    </div>
  );
}
