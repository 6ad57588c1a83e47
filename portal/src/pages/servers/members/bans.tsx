import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { GuildBansChangedDocument, GuildBansDocument, UnbanMemberDocument } from '../../../gql/servers/members/bans.js';
import type { BanPageFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { Danger, useAction } from '../../../ui/action.js';
import { Listing, More } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { Picture } from '../../../ui/picture.js';
import { say } from '../../../ui/toasts.js';
import { useLack, useServer } from '../server.js';
import '../roles/roles.css';

export function Bans() {
  const { id: guildId, name } = useServer();
  useTitle('Bans', name);
  const lack = useLack('BanMembers');
  return (
    <section className="card">
      <p className="small">
        <Link to="/servers/$guildId/members" params={{ guildId }}>
          All members
        </Link>
      </p>
      <h2>Bans</h2>
      {lack ? <p className="hint">{lack}</p> : <BanPage after={null} />}
    </section>
  );
}

function BanPage({ after }: { after: string | null }) {
  const { id } = useServer();
  const variables = { id, after };
  const answer = useQuery({ query: GuildBansDocument, variables });
  useLive(GuildBansChangedDocument, variables);
  const page = answer.data?.guild?.bans;
  return (
    <>
      <Listing
        shape="list"
        answer={answer}
        items={page?.edges}
        empty="No bans. You can ban someone on the Members page and unban them here."
        render={({ node }) => <BanItem key={node.user.id} ban={node} />}
      />
      {page?.pageInfo.hasNextPage && (
        <More>
          <BanPage after={page.pageInfo.endCursor} />
        </More>
      )}
    </>
  );
}

function BanItem({ ban: { user, reason } }: { ban: BanPageFragment['edges'][number]['node'] }) {
  const { id: guildId } = useServer();
  const [isAsking, ask] = useState(false);
  const { run, isBusy, problem } = useAction(UnbanMemberDocument, { isQuiet: true });
  const name = user.globalName ?? user.username;
  const unban = async () => {
    if (!(await run({ input: { guildId, userId: user.id } }))) return;
    say(`${name} was unbanned.`);
    ask(false);
  };
  return (
    <li>
      <div className="pictured">
        <Picture url={user.avatarUrl} name={name} isRound />
        <div>
          <Name>{name}</Name> {name !== user.username && <span className="soft">{user.username}</span>}
          <p className="soft small">{reason ?? 'No reason given.'}</p>
        </div>
      </div>
      <button type="button" className="plain small" aria-label={`Unban ${user.username}`} onClick={() => ask(true)}>
        Unban
      </button>
      {isAsking && (
        <Danger
          title={`Unban ${name}?`}
          doIt="Unban"
          onDo={unban}
          onClose={() => ask(false)}
          isBusy={isBusy}
          problem={problem}
        >
          <p>They can rejoin with an invite.</p>
        </Danger>
      )}
    </li>
  );
}
