/** The content of a mail, before it becomes text and HTML. */

export type Line = readonly [label: string, value: string];

export type Letter = {
  readonly subject: string;
  /** Shown first: the mode in which this happened. */
  readonly notice?: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly Line[];
  /** Amounts below each other; the last is the sum or the rest. */
  readonly amounts?: readonly Line[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Why the reader gets this mail. */
  readonly reason: string;
  /** Only if the reader may end such mails without signing in. */
  readonly unsubscribe?: { readonly label: string; readonly url: string };
};
