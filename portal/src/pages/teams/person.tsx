import type { PersonFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';

export function nameOf({ globalName, username }: Pick<PersonFragment, 'globalName' | 'username'>): string {
  return globalName ?? username;
}

export function PersonLine({ person, children }: { person: PersonFragment; children: React.ReactNode }) {
  const name = nameOf(person);
  return (
    <div className="person">
      <Picture url={person.avatarUrl} name={name} isRound />
      <div>
        <Name>{name}</Name>
        {name !== person.username && <span className="soft small"> {person.username}</span>}
        {children && <p className="soft small">{children}</p>}
      </div>
    </div>
  );
}
