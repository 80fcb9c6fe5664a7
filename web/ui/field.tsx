/** A labelled field with its hint and error message, connected for screen readers. */
import { type ComponentProps, createContext, type JSX } from 'preact';
import { useContext, useEffect, useId } from 'preact/hooks';
import type { FieldFaults } from './field-faults.ts';

/** What a form knows of its fields: their names, and what the server says about them. */
export const FormFields = createContext<{
  readonly faults: FieldFaults;
  readonly names: Set<string>;
} | null>(null);

type Described = {
  readonly id: string;
  readonly name?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
};

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The name that the server gives the field in its messages, which the form then shows here. */
  readonly name?: string;
  /** The error message; undefined while the value is valid. */
  readonly fault?: string | undefined;
  /** Renders the input, select or textarea with the given attributes. */
  readonly children: (described: Described) => JSX.Element;
};

export function Field({ label, hint, name, fault: ownFault, children }: FieldProps) {
  const id = useId();
  const form = useContext(FormFields);
  useEffect(() => {
    if (name === undefined || form === null) return;
    form.names.add(name);
    return () => void form.names.delete(name);
  }, [name, form?.names]);
  const fault = ownFault ?? (name === undefined ? undefined : form?.faults[name]);
  const texts = [hint === undefined ? null : `${id}-hint`, fault === undefined ? null : `${id}-fault`];
  const describedBy = texts.filter((text) => text !== null).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(name === undefined ? {} : { name }),
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} class="fault">
          {fault}
        </span>
      )}
    </div>
  );
}

type ControlProps<Tag extends 'input' | 'select' | 'textarea'> = Pick<
  FieldProps,
  'label' | 'hint' | 'fault'
> & {
  /** The form shows messages of the server about this name here. */
  readonly placesFaults?: boolean;
} & Omit<ComponentProps<Tag>, 'label' | 'ref'>;

/** The properties of a `Field` and of the control in it, apart. */
function apart<Tag extends 'input' | 'select' | 'textarea'>(o: ControlProps<Tag>) {
  const { label, hint, fault, placesFaults = false, ...control } = o;
  const { name } = control as { readonly name?: string };
  return {
    field: { label, hint, fault, ...(placesFaults && name !== undefined ? { name } : {}) },
    control,
  };
}

export function InputField(props: ControlProps<'input'>) {
  const { field, control } = apart(props);
  return <Field {...field}>{(described) => <input {...described} {...control} />}</Field>;
}

export function TextAreaField(props: ControlProps<'textarea'>) {
  const { field, control } = apart(props);
  return <Field {...field}>{(described) => <textarea {...described} {...control} />}</Field>;
}

/** The options are its children. */
export function SelectField(props: ControlProps<'select'>) {
  const { field, control } = apart(props);
  return <Field {...field}>{(described) => <select {...described} {...control} />}</Field>;
}

type OptionsProps = {
  readonly of: readonly (readonly [value: string | number, text: string])[] | undefined;
  /** Where the form reads the value, and the page does not follow it. */
  readonly chosen?: string;
};

export function Options({ of = [], chosen }: OptionsProps) {
  return (
    <>
      {of.map(([value, text]) => (
        <option
          key={value}
          value={value}
          {...(chosen === undefined ? {} : { selected: String(value) === chosen })}
        >
          {text}
        </option>
      ))}
    </>
  );
}
