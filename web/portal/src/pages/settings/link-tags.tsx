/** UTM tags of the addresses to which clicks on offers lead (Admin changes them). */
import type { LinkTagsSetting } from '@offer-ads/contracts/portal/offers-api';
import { MAX_TAG, TAG, withTags } from '@offer-ads/contracts/values/link-tags';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { InputField } from '../../../../ui/field.tsx';
import { Form } from '../../../../ui/form.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { usePortal, useRead } from '../../session.ts';

export function LinkTags() {
  const { session } = usePortal();
  const setting = useRead<LinkTagsSetting>([session.organisation.id, 'link-tags'], '/link-tags');
  return (
    <Loaded query={setting} what="the tags of links" lines={4}>
      {(data) => <Change of={data} />}
    </Loaded>
  );
}

function Change({ of }: { readonly of: LinkTagsSetting }) {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  const [wish, setWish] = useState(of);
  const set = (change: Partial<LinkTagsSetting>) => setWish((before) => ({ ...before, ...change }));
  const save = async () => {
    const reply = await api.send<LinkTagsSetting>('PUT', '/link-tags', { json: wish });
    if (!reply.ok) return reply.message;
    queries.setQueryData([session.organisation.id, 'link-tags'], reply.body);
    return null;
  };
  const isValid = TAG.test(wish.source) && TAG.test(wish.medium);
  const example = withTags('https://your-site.example/menu', wish, { offerId: 4711, title: 'Two for one' });
  return (
    <div class="card">
      <Form
        send={save}
        submit="Save the tags"
        kind="quiet"
        label="Tags of links"
        saved="Saved. It holds for all offers at once."
      >
        <label class="choice">
          <input
            type="checkbox"
            checked={wish.on}
            onChange={(event) => set({ on: event.currentTarget.checked })}
          />
          Add UTM tags to the links of offers, so that your web statistics recognise their clicks
        </label>
        {wish.on && (
          <>
            {(['source', 'medium'] as const).map((name) => (
              <InputField
                key={name}
                label={name === 'source' ? 'Source' : 'Medium'}
                name={name}
                placesFaults
                required
                maxLength={MAX_TAG}
                value={wish[name]}
                onInput={(event) => set({ [name]: event.currentTarget.value })}
              />
            ))}
            <p class="small muted">
              A click leads to{' '}
              <span class="link-text">
                {isValid ? example : 'letters, digits and . _ ~ - alone are possible'}
              </span>
              . Links that have a UTM tag of their own stay as they are.
            </p>
          </>
        )}
      </Form>
    </div>
  );
}
