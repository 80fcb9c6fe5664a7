/** Gender and interests; without a choice everybody is included. */
import { Choices } from '../../../../../ui/choices.tsx';
import { useInterests } from '../offers-data.ts';
import { genders } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';

export function AudienceFields({ draft, faults, set }: FieldsProps) {
  const interests = useInterests();
  return (
    <>
      <p class="hint">
        If you choose nothing, the offer is for everybody. Narrower targeting reaches fewer members and costs
        less.
      </p>
      <Choices legend="Gender" fault={faults.genders}>
        <div class="chips">
          {genders.map((gender) => (
            <label key={gender} class="chip">
              <input
                type="checkbox"
                checked={draft.genders.includes(gender)}
                onChange={() => set({ genders: toggled(draft.genders, gender) })}
              />
              {gender}
            </label>
          ))}
        </div>
      </Choices>
      <Choices legend="Interests" fault={faults.interests}>
        {interests.isPending && <p class="hint">Loading …</p>}
        {interests.isError && <p class="fault">The interests cannot be shown: {interests.error.message}</p>}
        <div class="chips">
          {interests.data?.interests.map(({ interest_id, interest_name }) => (
            <label key={interest_id} class="chip">
              <input
                type="checkbox"
                checked={draft.interestIds.includes(interest_id)}
                onChange={() => set({ interestIds: toggled(draft.interestIds, interest_id) })}
              />
              {interest_name}
            </label>
          ))}
        </div>
        {draft.interestIds.length > 1 && (
          <p class="hint">The offer reaches members with at least one of these interests.</p>
        )}
      </Choices>
    </>
  );
}

function toggled<T>(list: readonly T[], item: T): readonly T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
