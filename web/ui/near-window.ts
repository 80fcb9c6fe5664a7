/** Whether a part of a page is in the window or little below it. Large parts wait for that. */
import { type MutableRef, useEffect, useRef, useState } from 'preact/hooks';

/** True from the first time on, once `mayLook`. */
export function useNearWindow<E extends Element>(
  mayLook: boolean,
): { readonly part: MutableRef<E | null>; readonly isNear: boolean } {
  const part = useRef<E | null>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!mayLook || isNear || part.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '300px 0px' },
    );
    observer.observe(part.current);
    return () => observer.disconnect();
  }, [mayLook, isNear]);
  return { part, isNear };
}
