import type { TeamRole } from '../../gql/types.js';
import { Select } from '../../ui/field.js';
import { GIVEN_ROLES, ROLE_WORDS } from './role-words.js';

interface RoleFieldProps {
  role: TeamRole;
  onChange: (role: TeamRole) => void;
}

export function RoleField({ role, onChange }: RoleFieldProps) {
  return (
    <Select label="Role" value={role} onChange={({ target }) => onChange(roleCalled(target.value, role))}>
      <RoleOptions />
    </Select>
  );
}

export function RoleOptions() {
  return GIVEN_ROLES.map((given) => (
    <option key={given} value={given}>
      {ROLE_WORDS[given]}
    </option>
  ));
}

/** @param otherwise returned if the value is not a role */
export function roleCalled(value: string, otherwise: TeamRole): TeamRole {
  return GIVEN_ROLES.find((given) => given === value) ?? otherwise;
}
