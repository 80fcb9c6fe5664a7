/** A form that sends once at a time and says beside itself what became of it. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

type FormProps = {
  /** Sends; a text that it answers is what went wrong. */
  readonly send: (values: FormData, form: HTMLFormElement) => Promise<string | null>;
  readonly submit: string;
  readonly children: ComponentChildren;
  /** More buttons, behind the one that sends. */
  readonly actions?: ComponentChildren;
  readonly label?: string;
};

export function Form({ send, submit, children, actions, label }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  // State changes with the next rendering only; two clicks may come before it.
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
        <button aria-disabled={busy}>{submit}</button>
        {actions}
      </div>
    </form>
  );
}

/** What stands in a field of text, without the blanks around it; '' when there is no such field. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
