import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useClient } from 'urql';
import { GuildMembersChangedDocument, GuildMembersDocument } from '../../../gql/servers/members/members.js';
import type { MemberRowFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useMyId } from '../../../me.js';
import { useQuery } from '../../../query.js';
import { TextField } from '../../../ui/field.js';
import { Listing, More } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { Picture } from '../../../ui/picture.js';
import { useRowDialog } from '../../../ui/row-dialog.js';
import { Ago } from '../../../ui/times.js';
import { useLater } from '../person-field.js';
import { useLack, useServer } from '../server.js';
import { MemberDialog } from './member-dialog.js';
import '../roles/roles.css';

export function Members() {
  const { id: guildId, name } = useServer();
  useTitle('Members', name);
  const [text, setText] = useState('');
  const search = useLater(text.trim(), 250);
  const mayBan = useLack('BanMembers') === undefined;
  return (
    <section className="card">
      <div className="heading">
        <h2>Members</h2>
        {mayBan && (
          <Link className="button plain small" to="/servers/$guildId/bans" params={{ guildId }}>
            Bans
          </Link>
        )}
      </div>
      <TextField
        label="Search"
        hint="Type the beginning of a name."
        type="search"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <MemberPage after={null} search={search === '' ? null : search} />
    </section>
  );
}

/** Each page is live on its own. */
function MemberPage({ after, search }: { after: string | null; search: string | null }) {
  const { id } = useServer();
  const variables = { id, after, search };
  const answer = useQuery({ query: GuildMembersDocument, variables });
  useLive(GuildMembersChangedDocument, variables);
  const client = useClient();
  const renew = () => client.query(GuildMembersDocument, variables, { requestPolicy: 'network-only' }).toPromise();
  const page = answer.data?.guild?.members;
  const rows = page?.edges.map(({ node }) => ({ id: node.user.id, member: node })) ?? [];
  const { dialog, open, close } = useRowDialog<'change', (typeof rows)[number]>(rows);
  return (
    <>
      <Listing
        shape="list"
        answer={answer}
        items={page && rows}
        empty="No members match your search."
        render={(row) => <MemberItem key={row.id} member={row.member} onOpen={() => open('change', row)} />}
      />
      {page?.pageInfo.hasNextPage && (
        <More>
          <MemberPage after={page.pageInfo.endCursor} search={search} />
        </More>
      )}
      {dialog && <MemberDialog member={dialog.row.member} onClose={close} onSaved={renew} />}
    </>
  );
}

function MemberItem({ member, onOpen }: { member: MemberRowFragment; onOpen: () => void }) {
  const { user, nick, roles, joinedAt, communicationDisabledUntil: until } = member;
  const { owner } = useServer();
  const me = useMyId();
  const name = nick ?? user.globalName ?? user.username;
  const isTimedOut = until !== null && new Date(until) > new Date();
  return (
    <li>
      <div className="pictured">
        <Picture url={user.avatarUrl} name={name} isRound />
        <div>
          <Name>{name}</Name> {name !== user.username && <span className="soft">{user.username}</span>}
          {user.bot && <span className="badge">bot</span>}
          {user.id === owner?.id && <span className="badge">owner</span>}
          {user.id === me && <span className="badge">you</span>}
          {isTimedOut && <span className="badge warn">timed out</span>}
          <p className="soft small">
            Joined <Ago at={joinedAt} />
          </p>
          {roles.length > 0 && (
            <p className="chips">
              {roles.map((role) => (
                <span className="badge" key={role.id}>
                  {role.name}
                </span>
              ))}
            </p>
          )}
        </div>
      </div>
      <button type="button" className="plain small" aria-label={`Manage ${user.username}`} onClick={onOpen}>
        Manage
      </button>
    </li>
  );
}
