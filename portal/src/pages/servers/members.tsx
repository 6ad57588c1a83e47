import { useState } from 'react';
import { GuildMembersDocument } from '../../gql/servers/members.js';
import type { MemberRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { TextField } from '../../ui/field.js';
import { Listing } from '../../ui/listing.js';
import { Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Ago } from '../../ui/times.js';
import { MemberDialog } from './member-dialog.js';
import { useLater } from './person-field.js';
import { useServer } from './server.js';
import './roles.css';

/** Who is a member of the server. */
export function Members() {
  const { id, name } = useServer();
  useTitle('Members', name);
  const [text, setText] = useState('');
  const [after, setAfter] = useState<string | null>(null);
  const [opened, open] = useState<MemberRowFragment | null>(null);
  const search = useLater(text.trim(), 250);
  const variables = search === '' ? { id, after, search: null } : { id, after: null, search };
  const [answer, ask] = useQuery({ query: GuildMembersDocument, variables });
  const page = answer.data?.guild?.members;
  return (
    <section className="card">
      <h2>Members</h2>
      <TextField
        label="Search"
        hint="The beginning of a name."
        type="search"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Listing
        shape="list"
        answer={answer}
        items={page?.edges}
        empty="Nobody is called so."
        render={({ node }) => <MemberItem key={node.user.id} member={node} onOpen={() => open(node)} />}
      />
      {search === '' && page?.pageInfo.hasNextPage && (
        <button type="button" className="plain" onClick={() => setAfter(page.pageInfo.endCursor)}>
          Load more
        </button>
      )}
      {opened && (
        <MemberDialog
          member={opened}
          onClose={() => open(null)}
          onDone={() => {
            open(null);
            ask({ requestPolicy: 'network-only' });
          }}
        />
      )}
    </section>
  );
}

function MemberItem({ member, onOpen }: { member: MemberRowFragment; onOpen: () => void }) {
  const { user, nick, roles, joinedAt, communicationDisabledUntil: until } = member;
  const name = nick ?? user.globalName ?? user.username;
  const isTimedOut = until !== null && new Date(until) > new Date();
  return (
    <li>
      <div className="pictured">
        <Picture url={user.avatarUrl} name={name} isRound />
        <div>
          <Name>{name}</Name> {name !== user.username && <span className="soft">{user.username}</span>}
          {user.bot && <span className="badge">bot</span>}
          {isTimedOut && <span className="badge warn">timed out</span>}
          <p className="soft small">
            joined <Ago at={joinedAt} />
          </p>
          <p className="chips">
            {roles.map((role) => (
              <span className="badge" key={role.id}>
                {role.name}
              </span>
            ))}
          </p>
        </div>
      </div>
      <button type="button" className="plain small" aria-label={`Manage ${user.username}`} onClick={onOpen}>
        Manage
      </button>
    </li>
  );
}
