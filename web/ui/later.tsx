/** A part of a page whose script is loaded when it is shown. Its space is reserved before. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type LaterProps<Module> = {
  readonly load: () => Promise<Module>;
  readonly children: (module: Module) => ComponentChildren;
  /** The name of the part for messages: "The map". */
  readonly what: string;
};

export function Later<Module>({ load, children, what }: LaterProps<Module>) {
  const [module, setModule] = useState<Module | null>(null);
  const [failed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let left = false;
    setFailed(false);
    load().then(
      (loaded) => !left && setModule(() => loaded),
      () => !left && setFailed(true),
    );
    return () => {
      left = true;
    };
  }, [tries]);
  if (module !== null) return <>{children(module)}</>;
  if (!failed) return <p class="hidden">{what} is being loaded</p>;
  return (
    <div class="notice problem" role="alert">
      <p>{what} could not be loaded.</p>
      <div>
        <button type="button" class="quiet" onClick={() => setTries(tries + 1)}>
          Try again
        </button>
      </div>
    </div>
  );
}
