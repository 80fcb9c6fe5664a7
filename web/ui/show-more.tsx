/** Long lists show only their beginning; a button shows more. */
import { useState } from 'preact/hooks';

const aPage = 50;

/** The visible part of `list`, and the button that shows more. */
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
