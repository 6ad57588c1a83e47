import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useEndedHere } from '../../ended.js';
import { TeamChangedDocument, TeamDocument } from '../../gql/teams/layout.js';
import type { TeamPageFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Ending, NotFound, Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Side } from '../../ui/side.js';
import { ROLE_WORDS } from './role-words.js';
import { counted, TeamContext, useMyRole } from './team.js';
import './teams.css';

export function TeamLayout() {
  const { teamId } = useParams({ from: '/frame/teams/$teamId' });
  return <OneTeam key={teamId} id={teamId} />;
}

function OneTeam({ id }: { id: string }) {
  const { data, error } = useQuery({ query: TeamDocument, variables: { id } });
  const isOver = useLive(TeamChangedDocument, { id });
  const isMine = useEndedHere(id);
  const isSeen = data?.team !== undefined && data.team !== null;
  if (isOver && isSeen && !isMine) return <Gone />;
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  if (!data.team) return <NotFound />;
  return (
    <TeamContext value={data.team}>
      <TeamHeader team={data.team} />
      <div className="sections">
        <Sections id={id} />
        <div className="content">
          <Outlet />
        </div>
      </div>
    </TeamContext>
  );
}

function TeamHeader({ team }: { team: TeamPageFragment }) {
  const { name, iconUrl, members, applications } = team;
  const role = useMyRole(team);
  return (
    <header className="noun">
      <Picture url={iconUrl} name={name} isBig />
      <div>
        <Heading>
          <Name>{name}</Name>
        </Heading>
        <p className="soft">
          {role && `Your role: ${ROLE_WORDS[role]} · `}
          {counted(members.length, 'member')} · {counted(applications.length, 'application')}
        </p>
      </div>
    </header>
  );
}

const SECTIONS = [
  { to: '/teams/$teamId/general', text: 'General' },
  { to: '/teams/$teamId/members', text: 'Members' },
  { to: '/teams/$teamId/applications', text: 'Applications' },
  { to: '/teams/$teamId/audit', text: 'Audit log' },
] as const;

function Sections({ id }: { id: string }) {
  return (
    <Side label="Team">
      {SECTIONS.map(({ to, text }) => (
        <Link key={to} to={to} params={{ teamId: id }}>
          {text}
        </Link>
      ))}
    </Side>
  );
}

function Gone() {
  return (
    <Ending title="Gone" text="You can no longer see this team. It was deleted, or you are no longer a member.">
      <Link className="button" to="/teams">
        Go to your teams
      </Link>
    </Ending>
  );
}
