import { useNavigate, useParams } from '@tanstack/react-router';
import { InviteDocument } from '../gql/invite.js';
import { JoinGuildDocument } from '../gql/servers/list.js';
import { useQuery } from '../query.js';
import { useAction } from '../ui/action.js';
import { NotFound, Unshown } from '../ui/endings.js';
import { WholeRefusal } from '../ui/form.js';
import { Skeleton } from '../ui/listing.js';
import { Heading, Name, useTitle } from '../ui/page.js';
import { Picture } from '../ui/picture.js';
import { counted } from './teams/team.js';

export function Invite() {
  const { code } = useParams({ from: '/frame/invite/$code' });
  const navigate = useNavigate();
  const { data, error } = useQuery({ query: InviteDocument, variables: { code } });
  const join = useAction(JoinGuildDocument, { isQuiet: true });
  const invite = data?.invite;
  useTitle(invite ? `Join ${invite.guildName}` : 'Invite');
  if (!data) return error ? <Unshown error={error} /> : <Skeleton lines={1} />;
  if (!invite) return <NotFound />;
  const accept = async () => {
    const joined = await join.run({ input: { code } });
    if (joined) void navigate({ to: '/servers/$guildId', params: { guildId: joined.joinGuild.guild.id } });
  };
  return (
    <div className="card narrow">
      <header className="noun">
        <Picture url={invite.guildIconUrl} name={invite.guildName} isBig />
        <div>
          <Heading>
            <Name>{invite.guildName}</Name>
          </Heading>
          <p className="soft">
            <bdi>{invite.inviter.username}</bdi> invited you · {counted(invite.memberCount, 'member')} · about{' '}
            {invite.presenceCount} online
          </p>
        </div>
      </header>
      {invite.guildDescription && <p>{invite.guildDescription}</p>}
      {invite.temporary && (
        <p className="hint">Your membership is temporary. It ends when you go offline, unless you get a role.</p>
      )}
      <WholeRefusal problem={join.problem} />
      <div className="actions">
        <button type="button" disabled={join.isOff} onClick={accept}>
          Join
        </button>
      </div>
    </div>
  );
}
