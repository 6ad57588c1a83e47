import { Link } from '@tanstack/react-router';
import type { PersonFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';
import { nameOf } from '../teams/person.js';

/** Links to the page that operators have about a person. */
export function PersonLink({ user }: { user: PersonFragment }) {
  const name = nameOf(user);
  return (
    <>
      <Link to="/instance/people/$personId" params={{ personId: user.id }}>
        <Name>{name}</Name>
      </Link>
      {name !== user.username && <span className="soft small"> {user.username}</span>}
    </>
  );
}
