/** An Idempotency-Key for as long as the same is asked for: a second click or a lost answer asks for no second one. */
export type OnceKey = {
  readonly keyFor: (content: string) => string;
  /** It has done its work: the same content is another errand from now on. */
  readonly used: () => void;
};

export function onceKey(newKey: () => string = () => crypto.randomUUID()): OnceKey {
  let held: { readonly content: string; readonly key: string } | null = null;
  return {
    keyFor: (content) => {
      if (held?.content !== content) held = { content, key: newKey() };
      return held.key;
    },
    used: () => {
      held = null;
    },
  };
}
