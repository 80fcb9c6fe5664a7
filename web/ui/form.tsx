/** A form that sends one request at a time and shows its error messages, each at its field if it names one. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { FormFields } from './field.tsx';
import { type FieldFaults, placeFaults } from './field-faults.ts';
import { Notice } from './notice.tsx';

type FormProps = {
  /**
   * Sends the form. Returns an error message, which may name fields (`name: must be ...`), null after success, or undefined if a field
   * shows its own fault.
   */
  readonly send: (values: FormData, form: HTMLFormElement) => Promise<string | null | undefined>;
  readonly submit: string;
  /** The look of the submit button: `danger` where something is destroyed, `quiet` where the view has another main button. */
  readonly kind?: 'danger' | 'quiet' | undefined;
  readonly children: ComponentChildren;
  /** More buttons, after the submit button. */
  readonly actions?: ComponentChildren;
  readonly label?: string;
  /** Shown after success, until something is entered. */
  readonly saved?: string;
};

export function Form({ send, submit, kind, children, actions, label, saved }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [isSaved, setIsSaved] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [faults, setFaults] = useState<FieldFaults>({});
  const [names] = useState(() => new Set<string>());
  // A ref, because state changes only with the next rendering, and two clicks may come before it.
  const underWay = useRef(false);

  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (underWay.current) return;
    const form = event.currentTarget as HTMLFormElement;
    underWay.current = true;
    setBusy(true);
    setIsSaved(false);
    setProblem(null);
    setFaults({});
    try {
      const message = await send(new FormData(form), form);
      setIsSaved(message === null);
      if (message === null || message === undefined) return;
      const placed = placeFaults(message, (name) => names.has(name));
      const [first] = Object.keys(placed.faults);
      setFaults(placed.faults);
      setProblem(placed.rest ?? 'Correct the marked field, then try again.');
      const field = first === undefined ? null : form.elements.namedItem(first);
      if (field instanceof HTMLElement) field.focus();
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };

  return (
    <form
      class="stack"
      aria-label={label}
      onInput={() => setIsSaved(false)}
      onSubmit={(event) => void onSubmit(event)}
    >
      <FormFields.Provider value={{ faults, names }}>{children}</FormFields.Provider>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="row">
        <button class={kind} aria-disabled={busy}>
          {submit}
        </button>
        {actions}
        {saved !== undefined && (
          <span role="status" class="small">
            {isSaved && saved}
          </span>
        )}
      </div>
    </form>
  );
}

/** The trimmed value of a text field; '' if there is no such field. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
