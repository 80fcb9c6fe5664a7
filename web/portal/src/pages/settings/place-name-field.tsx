import { savedPlaceLimits } from '@offer-ads/contracts/values/offer-limits';
import { InputField } from '../../../../ui/field.tsx';

export function PlaceNameField({ value }: { readonly value: string }) {
  return (
    <InputField
      label="Name"
      hint="As your team calls it, such as “Soho”. Members do not see it."
      name="name"
      placesFaults
      maxLength={savedPlaceLimits.nameAtMost}
      autocomplete="off"
      defaultValue={value}
      required
    />
  );
}
