/** Gender and interests; without a choice everybody is included. */
import { Choices } from '../../../../../ui/choices.tsx';
import { useInterests } from '../offers-data.ts';
import { genders } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';
import { More } from './more.tsx';

export function AudienceFields({ draft, faults, set }: FieldsProps) {
  const interests = useInterests();
  const count = draft.interestIds.length;
  return (
    <>
      <p class="hint">Choose nothing to reach everybody. A smaller audience costs less.</p>
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
      <More
        summary={count === 0 ? 'Choose interests' : `Interests: ${count} chosen`}
        attention={faults.interests ?? (count > 0 ? 'chosen' : '')}
      >
        <Choices legend="Interests" fault={faults.interests}>
          {interests.isPending && <p class="hint">Loading …</p>}
          {interests.isError && (
            <p class="fault">The interests could not be loaded. {interests.error.message}</p>
          )}
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
          {count > 1 && <p class="hint">Reaches members with at least one of these interests.</p>}
        </Choices>
      </More>
    </>
  );
}

function toggled<T>(list: readonly T[], item: T): readonly T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
