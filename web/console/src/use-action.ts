/** The action of a page that waits for its reason, and the message after it was done. */
import { useState } from 'preact/hooks';

export function useAction<Action>() {
  // Independent of later changes of the data: the dialog keeps what was clicked.
  const [asking, setAsking] = useState<Action | null>(null);
  const [done, setDone] = useState<string | null>(null);
  return {
    asking,
    done,
    begin: (action: Action) => {
      setDone(null);
      setAsking(action);
    },
    /** Closes the dialog. Null: nothing was done. */
    end: (message: string | null) => {
      setAsking(null);
      setDone(message);
    },
  };
}
