import { APPLICATION_ROLES, PORTAL_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { TeamRole } from '../../gql/types.js';
import { APPLICATION_WORDS, ROLE_WORDS, TEAM_WORDS } from './role-words.js';

/** Uses the same data as the server's permission checks. */
export function RoleTables() {
  return (
    <section className="card">
      <h2>Role permissions</h2>
      <RoleTable caption="Team" roles={TEAM_ROLES} words={TEAM_WORDS} />
      <RoleTable caption="Team applications" roles={APPLICATION_ROLES} words={APPLICATION_WORDS} />
    </section>
  );
}

interface TableProps<Operation extends string> {
  caption: string;
  roles: Record<Operation, readonly TeamRole[]>;
  words: Record<Operation, string>;
}

function RoleTable<Operation extends string>({ caption, roles, words }: TableProps<Operation>) {
  const operations = Object.keys(roles) as Operation[];
  return (
    <table className="roles small">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <td />
          {PORTAL_ROLES.map((role) => (
            <th key={role} scope="col">
              <span>{ROLE_WORDS[role]}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {operations.map((operation) => (
          <tr key={operation}>
            <th scope="row">{words[operation]}</th>
            {PORTAL_ROLES.map((role) => (
              <Cell key={role} may={roles[operation].includes(role)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ may }: { may: boolean }) {
  return (
    <td className={may ? 'may' : 'soft'}>
      <span role="img" aria-label={may ? 'yes' : 'no'}>
        {may ? '✓' : '–'}
      </span>
    </td>
  );
}
