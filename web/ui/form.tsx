/** A form that sends one request at a time and shows its error message. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

type FormProps = {
  /** Sends the form. Returns an error message, or null after success. */
  readonly send: (values: FormData, form: HTMLFormElement) => Promise<string | null>;
  readonly submit: string;
  /** The look of the submit button: `danger` where something is destroyed, `quiet` where the view has another main button. */
  readonly kind?: 'danger' | 'quiet' | undefined;
  readonly children: ComponentChildren;
  /** More buttons, after the submit button. */
  readonly actions?: ComponentChildren;
  readonly label?: string;
};

export function Form({ send, submit, kind, children, actions, label }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  // A ref, because state changes only with the next rendering, and two clicks may come before it.
  const underWay = useRef(false);

  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (underWay.current) return;
    const form = event.currentTarget as HTMLFormElement;
    underWay.current = true;
    setBusy(true);
    setProblem(null);
    try {
      setProblem(await send(new FormData(form), form));
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };

  return (
    <form class="stack" aria-label={label} onSubmit={(event) => void onSubmit(event)}>
      {children}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="row">
        <button class={kind} aria-disabled={busy}>
          {submit}
        </button>
        {actions}
      </div>
    </form>
  );
}

/** The trimmed value of a text field; '' if there is no such field. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
