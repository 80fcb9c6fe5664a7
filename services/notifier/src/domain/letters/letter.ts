/** What a mail says, before it becomes text and HTML. */

export type Line = readonly [label: string, value: string];

export type Letter = {
  readonly subject: string;
  /** Before all else: in which world this happened. */
  readonly notice?: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly Line[];
  /** Amounts below each other; the last is their sum, or what is left. */
  readonly amounts?: readonly Line[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Why the reader gets this. */
  readonly reason: string;
  /** Only where the reader may end such mails without signing in. */
  readonly unsubscribe?: { readonly label: string; readonly url: string };
};
