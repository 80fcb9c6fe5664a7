/** Finds an offer by its number, which is in mails, payments and addresses. An organisation's page lists its offers. */
import { useLocation } from 'preact-iso';
import { Field } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { ConsolePage } from '../console-page.tsx';

export function Offers() {
  const { route } = useLocation();
  const open = async (values: FormData) => {
    route(`/offers/${Number(textOf(values, 'id'))}`);
    return null;
  };
  return (
    <ConsolePage title="Offers">
      <Form label="Find an offer" submit="Show the offer" send={open}>
        <Field label="Number of the offer" hint="The page of an organisation lists its offers.">
          {(described) => (
            <input {...described} name="id" inputmode="numeric" pattern="[1-9][0-9]{0,9}" required />
          )}
        </Field>
      </Form>
      <p>
        <a href="/organisations">Find an organisation</a>
      </p>
    </ConsolePage>
  );
}
