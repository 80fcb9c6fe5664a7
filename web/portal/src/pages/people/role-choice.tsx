import { type Role, roleNames, roles } from './listed-people.ts';

export function RoleChoice({ chosen }: { readonly chosen: Role }) {
  return (
    <fieldset>
      <legend>Role</legend>
      {roleNames.map((role) => (
        <label key={role} class="choice">
          <input type="radio" name="role" value={role} defaultChecked={role === chosen} />
          <span>
            {roles[role].title} <span class="hint">{roles[role].may}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
